<?php
/*
 * What can be called, as JSON: each function and method of the stub file, with its parameters, and the properties. Run it by `php -n`, in
 * which the stub can be loaded, for there is no mysqli.
 */

declare(strict_types=1);

[, $stub] = $argv;
require $stub;

/** @return array<string, mixed> */
function entry(ReflectionFunctionAbstract $function, ?string $class): array
{
    return [
        'name' => $function->getName(),
        'class' => $class,
        'static' => $function instanceof ReflectionMethod && $function->isStatic(),
        'returns' => (string) $function->getReturnType(),
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
foreach (array_filter(get_declared_classes(), fn(string $class) => str_starts_with($class, 'mysqli')) as $class) {
    $reflection = new ReflectionClass($class);
    foreach ($reflection->getMethods() as $method) {
        if ($method->getFileName() === realpath($stub)) {
            $calls[] = entry($method, $class);
        }
    }
    $properties[$class] = array_map(fn(ReflectionProperty $property) => $property->getName(), $reflection->getProperties(ReflectionProperty::IS_PUBLIC));
}
echo json_encode(['calls' => $calls, 'properties' => $properties, 'constants' => array_keys(get_defined_constants(true)['user'])]);
