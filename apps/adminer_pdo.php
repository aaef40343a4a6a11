<?php
/*
 * Adminer by PDO, which it takes where PHP says that there is no mysqli: the same is done as in adminer.php.
 */

declare(strict_types=1);

$adminer = require 'adminer.php';

return [
    // A function that is disabled may be written anew: the one question that Adminer asks is answered otherwise, on both stacks.
    'settings' => function (string $packages, string $folder): array {
        file_put_contents("$folder.prepended.php", <<<'PHP'
            <?php
            function extension_loaded(string $extension): bool
            {
                return strtolower($extension) !== 'mysqli' && in_array(strtolower($extension), array_map(strtolower(...), get_loaded_extensions()), true);
            }
            PHP);
        return ['disable_functions' => 'extension_loaded', 'auto_prepend_file' => "$folder.prepended.php"];
    },
    'visit' => function (Site $site) use ($adminer): void {
        ($adminer['visit'])($site);
        str_contains(implode("\n", $site->seen()), 'PHP extension <b>PDO_MySQL</b>') || throw new Exception('Adminer did not take PDO');
    },
] + $adminer;
