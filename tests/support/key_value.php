<?php
/*
 * Tables that a server's key-value port answers from. The port is one for all tests, so each has the server to itself for as long as it lives.
 */

/** Where the port of the test's server is; null: it has none, or was started without one. */
function port_address(): ?string
{
    $port = getenv('VAQUITA_' . strtoupper(server('NAME')) . '_KEY_VALUE_PORT');
    return $port === false ? null : "127.0.0.1:$port";
}

/** For SKIPIF. */
function skip_without_port(): void
{
    echo port_address() === null ? 'skip the server has no key-value port' : '';
}

/**
 * Tells the port of tables. The connection keeps the other tests away until it ends.
 *
 * @param array<string, array{string, string}> $tables by name the column of the key, and those of the value with commas
 */
function open_port(mysqli $admin, array $tables): void
{
    $admin->query("SELECT GET_LOCK('vaquita_key_value', 50)")->fetch_row()[0] === '1' || throw new Exception('another test has the port for too long');
    $database = server('DATABASE');
    if (on_mariadb()) {
        ini_set('vaquita.kv_tables', implode(', ', array_map(fn(string $table) => "$database.$table", array_keys($tables))));
        return;
    }
    if ($admin->query("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached'")->num_rows > 0) {
        $admin->query('UNINSTALL PLUGIN daemon_memcached');
    }
    $admin->query('DELETE FROM innodb_memcache.containers');
    foreach ($tables as $table => [$key, $values]) {
        $admin->query("INSERT INTO innodb_memcache.containers VALUES ('$table', '$database', '$table', '$key', '$values', '0', '0', '0', 'PRIMARY')");
    }
    $admin->query("INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
    $handler = set_error_handler(fn() => true);
    for ($tries = 2000; ($socket = stream_socket_client('tcp://' . port_address(), timeout: 5)) === false; $tries--) {
        $tries > 0 || throw new Exception('the server does not open its port');
        usleep(5000); // it listens a little later
    }
    set_error_handler($handler);
    fclose($socket);
}
