<?php
/*
 * What PHP's Reflection says of mysqli, and whether two of its answers agree.
 *
 *     php reflection.php facts               prints the facts of this PHP as JSON
 *     php reflection.php compare STOCK OURS  compares two such files; exits with 1 if they differ
 *
 * A thing is a function, class, method, property, constant or setting, or the order of several. What ours does not have yet is
 * listed, and fails nothing; everything that ours has must be as stock has it. tests/reflection runs both steps.
 */

declare(strict_types=1);

const EXTENSIONS = ['mysqlnd', 'mysqli', 'pdo_mysql'];

error_reporting(E_ALL);

/** Runs $action; returns its value as text, or what it raised. */
function outcome(callable $action): string
{
    $raised = [];
    set_error_handler(function (int $level, string $message) use (&$raised): bool {
        $raised[] = "error $level: $message";
        return true;
    });
    try {
        $value = var_export($action(), true);
    } catch (Throwable $thrown) {
        $value = $thrown::class . ': ' . $thrown->getMessage();
    } finally {
        restore_error_handler();
    }
    return implode('; ', [...$raised, $value]);
}

/** @return array<string, mixed> */
function facts_of_function(ReflectionFunctionAbstract $function): array
{
    $facts = [
        'name' => $function->name,
        'return type' => (string) $function->getReturnType(),
        'tentative return type' => (string) $function->getTentativeReturnType(),
        'returns a reference' => $function->returnsReference(),
        'deprecated' => $function->isDeprecated(),
        'variadic' => $function->isVariadic(),
        'required parameters' => $function->getNumberOfRequiredParameters(),
        'parameters' => $function->getNumberOfParameters(),
        'attributes' => attributes($function),
    ];
    foreach ($function->getParameters() as $index => $parameter) {
        $facts["parameter $index"] = (string) $parameter;
        $facts["parameter $index, default"] = !$parameter->isDefaultValueAvailable() ? null
            : [$parameter->getDefaultValueConstantName(), var_export($parameter->getDefaultValue(), true)];
        $facts["parameter $index, attributes"] = attributes($parameter);
    }
    return $facts;
}

/** @return list<string> */
function attributes(ReflectionFunctionAbstract|ReflectionClass|ReflectionParameter|ReflectionProperty $of): array
{
    return array_map(fn(ReflectionAttribute $attribute) => $attribute->getName(), $of->getAttributes());
}

/** @return array<string, mixed> */
function facts_of_class(ReflectionClass $class): array
{
    return [
        'name' => $class->name,
        'modifiers' => Reflection::getModifierNames($class->getModifiers()),
        'parent' => $class->getParentClass() ? $class->getParentClass()->name : null,
        'interfaces' => $class->getInterfaceNames(),
        'constants' => $class->getConstants(),
        'instantiable' => $class->isInstantiable(),
        'cloneable' => $class->isCloneable(),
        'iterable' => $class->isIterable(),
        'attributes' => attributes($class),
        // Flags that Reflection does not show, by what they do.
        'a property that is not declared' => outcome(function () use ($class): bool {
            $object = $class->isFinal() ? $class->newInstance() : $class->newInstanceWithoutConstructor();
            $object->not_declared = 1;
            return true;
        }),
        'unserialized' => outcome(fn() => get_class(unserialize(sprintf('O:%d:"%s":0:{}', strlen($class->name), $class->name)))),
    ];
}

/** @return array<string, mixed> */
function facts_of_property(ReflectionProperty $property): array
{
    return [
        'modifiers' => Reflection::getModifierNames($property->getModifiers()),
        'type' => (string) $property->getType(),
        'has a default' => $property->hasDefaultValue(),
        'default' => $property->getDefaultValue(),
        'attributes' => attributes($property),
    ];
}

/** @return array<string, mixed> */
function facts_of_class_constant(ReflectionClassConstant $constant): array
{
    return [
        'value' => var_export($constant->getValue(), true),
        'modifiers' => Reflection::getModifierNames($constant->getModifiers()),
        'type' => method_exists($constant, 'getType') ? (string) $constant->getType() : '',
        'comment' => $constant->getDocComment(),
    ];
}

/** @return array<string, array<string, mixed>> Each thing's facts, by its kind and name. */
function facts(): array
{
    $things = [];
    $orders = [];
    $add = function (string $kind, string $name, array $facts) use (&$things, &$orders): void {
        $things["$kind $name"] = $facts;
        $orders[$kind][] = $name;
    };
    $add_constants = function (ReflectionClass $class) use ($add): void {
        foreach ($class->getReflectionConstants() as $constant) {
            $add("constant of {$class->name}", $constant->name, facts_of_class_constant($constant));
        }
    };
    // A driver gives PDO's class constants of its own.
    array_map($add_constants, array_map(fn(string $name) => new ReflectionClass($name), array_filter(['PDO'], class_exists(...))));
    foreach (array_filter(EXTENSIONS, extension_loaded(...)) as $extension) {
        $reflection = new ReflectionExtension($extension);
        $add('extension', $extension, ['persistent' => $reflection->isPersistent(), 'version' => $reflection->getVersion(), 'dependencies' => $reflection->getDependencies()]);
        foreach ($reflection->getINIEntries() as $name => $value) {
            $add('setting', $name, ['value' => $value, 'access' => ini_get_all($extension)[$name]['access']]);
        }
        foreach (array_keys(get_defined_constants(true)[$extension] ?? []) as $name) {
            $add('constant', $name, ['value' => outcome(fn() => constant($name))]);
        }
        foreach ($reflection->getFunctions() as $function) {
            $add('function', $function->name, facts_of_function($function));
        }
        foreach ($reflection->getClasses() as $class) {
            $add('class', $class->name, facts_of_class($class));
            $add_constants($class);
            foreach ($class->getProperties() as $property) {
                if ($property->class === $class->name) {
                    $add("property of {$class->name}", $property->name, facts_of_property($property));
                }
            }
            foreach ($class->getMethods() as $method) {
                if ($method->class === $class->name) {
                    $modifiers = Reflection::getModifierNames($method->getModifiers());
                    $add("method of {$class->name}", $method->name, ['modifiers' => $modifiers] + facts_of_function($method));
                }
            }
        }
    }
    return ['vaquita' => extension_loaded('vaquita'), 'things' => $things, 'orders' => $orders];
}

/** @return list<string> How the facts of a thing differ, one line each. */
function differences(array $stock, array $ours): array
{
    $lines = [];
    foreach ($stock + $ours as $fact => $_) {
        if (($stock[$fact] ?? null) !== ($ours[$fact] ?? null)) {
            $lines[] = sprintf('%s: stock %s, ours %s', $fact, json_encode($stock[$fact] ?? null), json_encode($ours[$fact] ?? null));
        }
    }
    return $lines;
}

function compare(array $stock, array $ours): int
{
    if ($stock['vaquita'] || !$ours['vaquita']) {
        fwrite(STDERR, "compare takes the facts of a stock PHP, then those of one with Vaquita\n");
        return 2;
    }
    $passed = $failed = 0;
    $check = function (string $thing, array $lines) use (&$passed, &$failed): void {
        $lines === [] ? $passed++ : $failed++;
        foreach ($lines as $line) {
            echo "FAIL $thing: $line\n";
        }
    };
    foreach ($ours['things'] as $thing => $facts) {
        $theirs = $stock['things'][$thing] ?? null;
        $check($thing, $theirs === null ? ['stock has no such thing'] : differences($theirs, $facts));
    }
    foreach ($ours['orders'] as $kind => $names) {
        $common = array_values(array_intersect($stock['orders'][$kind] ?? [], $names));
        $lines = $common === array_values(array_intersect($names, $common)) ? [] : ['not in the order of stock'];
        $check("order of each $kind", $lines);
    }
    $missing = 0;
    foreach ($stock['orders'] as $kind => $names) {
        $absent = array_diff($names, $ours['orders'][$kind] ?? []);
        if ($absent !== []) {
            $missing += count($absent);
            printf("not there yet, %s (%d): %s\n", $kind, count($absent), implode(', ', $absent));
        }
    }
    echo "not there yet: $missing\n$passed passed, $failed failed\n";
    return $failed === 0 && $passed > 0 ? 0 : 1;
}

$read = fn(string $path): array => json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
if ($argc === 2 && $argv[1] === 'facts') {
    echo json_encode(facts(), JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR), "\n";
} elseif ($argc === 4 && $argv[1] === 'compare') {
    exit(compare($read($argv[2]), $read($argv[3])));
} else {
    fwrite(STDERR, "usage: reflection.php facts | compare STOCK OURS\n");
    exit(2);
}
