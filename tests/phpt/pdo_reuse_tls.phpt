--TEST--
A persistent PDO handle is refused to who asks for more TLS than it was made with
--FILE--
<?php
// places: mariadb-tcp mysql80-tcp
// without mysql56: it has no TLS 1.2
require 'support/prelude.php';
$persistent = fn(array $options, bool|string $name = true) => connect_pdo([PDO::ATTR_PERSISTENT => $name] + $options);
$cipher = fn(PDO $db) => $db->query("SHOW STATUS LIKE 'Ssl_cipher'")->fetchColumn(1) === '' ? 'plain' : 'encrypted';
$encrypted = [PDO::MYSQL_ATTR_SSL_CIPHER => 'DEFAULT', PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false];
$try = function (string $what, callable $connect) use ($cipher) {
    try {
        $outcome = $cipher($connect());
    } catch (PDOException $e) {
        $outcome = $e->errorInfo[1] . ' ' . $e->getMessage();
    }
    echo "$what: $outcome\n";
};
$try('plain', fn() => $persistent([]));
$try('encrypted, on that', fn() => $persistent($encrypted));
$try('plain again', fn() => $persistent([]));
$try('encrypted, another handle', fn() => $persistent($encrypted, 'tls'));
$try('the same again', fn() => $persistent($encrypted, 'tls'));
$try('plain would do', fn() => $persistent([], 'tls'));
$try('verified, on that', fn() => $persistent([PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => true], 'tls'));
$try('the same once more', fn() => $persistent($encrypted, 'tls'));
// Set later it has no meaning, as on stock.
$db = $persistent([]);
$db->query('DO 1');
var_dump($db->setAttribute(PDO::MYSQL_ATTR_SSL_CA, '/x'));
?>
--EXPECT--
plain: plain
encrypted, on that: 2026 SQLSTATE[HY000] [2026] the persistent connection of this data source was made with less TLS than these options ask for; give it a name of its own as the value of PDO::ATTR_PERSISTENT
plain again: plain
encrypted, another handle: encrypted
the same again: encrypted
plain would do: encrypted
verified, on that: 2026 SQLSTATE[HY000] [2026] the persistent connection of this data source was made with less TLS than these options ask for; give it a name of its own as the value of PDO::ATTR_PERSISTENT
the same once more: encrypted
bool(false)
