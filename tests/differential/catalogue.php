<?php
/*
 * What can be called, as JSON: each function and method of a surface, with its parameters, the properties and constants. Of mysqli they are
 * in the stub file; the classes of PDO are PDO's own, the stub has the driver's. Run it by `php -n`, in which the stub can be loaded, for
 * there is no mysqli.
 */

declare(strict_types=1);

[, $surface, $stub] = $argv;
require $stub;

/** @return array<string, mixed> */
function entry(ReflectionFunctionAbstract $function, ?string $class): array
{
    return [
        'name' => $function->getName(),
        'class' => $class,
        'static' => $function instanceof ReflectionMethod && $function->isStatic(),
        'returns' => str_replace('static', (string) $class, (string) ($function->getReturnType() ?? $function->getTentativeReturnType())),
        'parameters' => array_map(fn(ReflectionParameter $parameter) => [
            'name' => $parameter->getName(),
            'type' => (string) $parameter->getType(),
            'optional' => $parameter->isOptional(),
            'variadic' => $parameter->isVariadic(),
            'reference' => $parameter->isPassedByReference(),
        ], $function->getParameters()),
    ];
}

$calls = $properties = [];
foreach (get_defined_functions()['user'] as $name) {
    if (str_starts_with($name, 'mysqli_')) {
        $calls[] = entry(new ReflectionFunction($name), null);
    }
}
$classes = match ($surface) {
    'mysqli' => array_filter(get_declared_classes(), fn(string $class) => str_starts_with($class, 'mysqli')),
    'pdo' => ['PDO', 'PDOStatement', ...(PHP_VERSION_ID >= 80400 ? ['Pdo\Mysql'] : [])],
};
foreach ($classes as $class) {
    $reflection = new ReflectionClass($class);
    foreach ($reflection->getMethods() as $method) {
        if ($method->class === $class) {
            $calls[] = entry($method, $class);
        }
    }
    $properties[$class] = array_map(fn(ReflectionProperty $property) => $property->getName(), $reflection->getProperties(ReflectionProperty::IS_PUBLIC));
}
$constants = match ($surface) {
    'mysqli' => array_keys(get_defined_constants(true)['user']),
    'pdo' => [...array_map(fn(string $name) => "PDO::$name", array_keys((new ReflectionClass('PDO'))->getConstants())),
        ...array_map(fn(string $name) => "PDO::MYSQL_$name", array_keys(array_diff_key((new ReflectionClass('Pdo\Mysql'))->getConstants(), (new ReflectionClass('PDO'))->getConstants())))],
};
echo json_encode(['calls' => $calls, 'properties' => $properties, 'constants' => $constants]);
