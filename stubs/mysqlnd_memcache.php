<?php

/*
 * The functions of PHP's old plugin mysqlnd_memcache, as Vaquita's extension has them: for IDEs and PHPStan, as vaquita.php is.
 */

/** What the old plugin took for a statement that it could answer; here it has no effect. */
const MYSQLND_MEMCACHE_DEFAULT_REGEXP = "/^[[:space:]]*SELECT[[:space:]]+(.+?)[[:space:]]+FROM[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]+WHERE[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]*=[[:space:]]*(?:'([^']*)'|(-?[0-9]+))[[:space:]]*;?[[:space:]]*$/is";
/** The version of the plugin whose functions these are. */
const MYSQLND_MEMCACHE_VERSION = '1.0.1';
/** The same as a number. */
const MYSQLND_MEMCACHE_VERSION_ID = 10001;

/**
 * What mysqlnd_memcache_set() was given for a connection, and which tables the port answers from; false: nothing.
 *
 * @return array{
 *     memcached: object|string, pattern: string,
 *     mappings: array<string, array{prefix: string, schema_name: string, table_name: string, id_field_name: string, separator: string, fields: list<string>}>,
 *     mapping_query: string
 * }|false
 *
 * @throws \ValueError the PDO is one of another driver's
 */
function mysqlnd_memcache_get_config(\mysqli|\PDO $link): array|false {}

/**
 * Has the statements of one connection answered by a key-value port, as vaquita.kv = on does for all.
 *
 * @param object|string|null $memcached a Memcached object, whose first server it is, or an address: host:port, [IPv6]:port or the path of a socket; null: by none any more
 * @param string|null $pattern has no effect
 * @param callable(bool): mixed|null $callback is called after each statement that query(), real_query(), PDO::exec() and PDOStatement::execute() have
 *     run, unless it has failed: with true if the port has answered it
 *
 * @return bool false: the server has no port, or could not be asked
 *
 * @throws \ValueError the PDO is one of another driver's, or $memcached is no address
 */
function mysqlnd_memcache_set(\mysqli|\PDO $link, object|string|null $memcached = null, ?string $pattern = null, ?callable $callback = null): bool {}
