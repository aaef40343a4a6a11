<?php
/*
 * What the extension declares in the namespace Vaquita and of the old plugin's, or what the files in stubs/ say of it, as PHP source: a declaration each,
 * by its name.
 *
 *     php declarations.php             of the extension that is loaded
 *     php -n declarations.php STUBS... of those files, in a PHP without the extension; what they have no comment for has (no comment) behind it
 */

declare(strict_types=1);

function type(?ReflectionType $type): string
{
    return $type === null ? '' : preg_replace_callback('/[\w\\\\]+/', fn(array $name) => class_like($name[0]) ? "\\$name[0]" : $name[0], (string) $type);
}

function class_like(string $name): bool
{
    return !in_array($name, ['null', 'false', 'true', 'bool', 'int', 'float', 'string', 'array', 'object', 'callable', 'iterable', 'mixed', 'void', 'never', 'static', 'self'], true);
}

function parameter(ReflectionParameter $parameter): string
{
    $default = '';
    if ($parameter->isDefaultValueAvailable()) {
        $constant = $parameter->getDefaultValueConstantName();
        $default = ' = ' . ($constant === null ? preg_replace('/^array \(\s*\)$/', '[]', strtolower(var_export($parameter->getDefaultValue(), true))) : "\\$constant");
    }
    $before = ($parameter->isPassedByReference() ? '&' : '') . ($parameter->isVariadic() ? '...' : '');
    return ltrim(type($parameter->getType()) . " $before\${$parameter->name}$default");
}

function signature(ReflectionFunctionAbstract $function): string
{
    $modifiers = $function instanceof ReflectionMethod ? implode(' ', Reflection::getModifierNames($function->getModifiers())) . ' ' : '';
    $returned = type($function->getReturnType() ?? $function->getTentativeReturnType());
    $reference = $function->returnsReference() ? '&' : '';
    return "{$modifiers}function $reference{$function->getShortName()}(" . implode(', ', array_map(parameter(...), $function->getParameters())) . ')' . ($returned === '' ? '' : ": $returned") . ' {}';
}

/** @return array<string, string> */
function declarations(?string $stubs): array
{
    $found = [];
    $add = function (string $name, string $source, Reflector $of) use (&$found, $stubs): void {
        $found[$name] = $source . ($stubs !== null && $of->getDocComment() === false ? ' (no comment)' : '');
    };
    $is_ours = fn(string $name): bool => preg_match('/^(vaquita\\\\|mysqlnd_memcache_)/i', $name) === 1;
    foreach (array_filter(get_defined_constants(), $is_ours, ARRAY_FILTER_USE_KEY) as $name => $value) {
        $found["constant $name"] = "const $name = " . var_export($value, true) . ';';
    }
    foreach (array_filter(array_merge(...array_values(get_defined_functions())), $is_ours) as $name) {
        $function = new ReflectionFunction($name);
        $add("function {$function->name}", signature($function), $function);
    }
    foreach (array_filter([...get_declared_classes(), ...get_declared_interfaces()], $is_ours) as $name) {
        $class = new ReflectionClass($name);
        $interfaces = array_filter($class->getInterfaceNames(), fn(string $one) => !array_filter($class->getInterfaces(), fn(ReflectionClass $other) => $other->isSubclassOf($one)));
        sort($interfaces);
        $parent = $class->getParentClass() ? " extends \\{$class->getParentClass()->name}" : '';
        $modifiers = implode(' ', Reflection::getModifierNames($class->getModifiers()));
        $add("class $name", ltrim("$modifiers class {$class->getShortName()}$parent") . ($interfaces === [] ? '' : ' implements \\' . implode(', \\', $interfaces)), $class);
        foreach ($class->getReflectionConstants() as $constant) {
            $add("constant $name::{$constant->name}", "public const {$constant->name} = " . var_export($constant->getValue(), true) . ';', $constant);
        }
        foreach ($class->getProperties() as $property) {
            $default = $property->hasDefaultValue() && $property->getDefaultValue() !== null ? ' = ' . var_export($property->getDefaultValue(), true) : '';
            $add("property $name::\${$property->name}", implode(' ', Reflection::getModifierNames($property->getModifiers())) . rtrim(' ' . type($property->getType())) . " \${$property->name}$default;", $property);
        }
        foreach ($class->getMethods() as $method) {
            if ($method->class === $name) {
                $add("method $name::{$method->name}()", signature($method), $method);
            }
        }
    }
    return $found;
}

foreach (array_slice($argv, 1) as $file) {
    require $file;
}
echo json_encode(declarations($argv[1] ?? null), JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT), "\n";
