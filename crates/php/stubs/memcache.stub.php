<?php

/*
 * What the module vaquita has outside of its namespace: the functions of PHP's old plugin mysqlnd_memcache, and their constants.
 * The crate vaquita-stub-gen makes Zend's tables of this.
 */

// What the old plugin took for a statement that it could answer. Here it has no effect.
const MYSQLND_MEMCACHE_DEFAULT_REGEXP = "/^[[:space:]]*SELECT[[:space:]]+(.+?)[[:space:]]+FROM[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]+WHERE[[:space:]]+`?([a-z0-9_]+)`?[[:space:]]*=[[:space:]]*(?:'([^']*)'|(-?[0-9]+))[[:space:]]*;?[[:space:]]*$/is";
// The plugin's last version, which these functions are in the place of.
const MYSQLND_MEMCACHE_VERSION = '1.0.1';
const MYSQLND_MEMCACHE_VERSION_ID = 10001;

function mysqlnd_memcache_get_config(mysqli|PDO $link): array|false {} // vaquita::memcache::get_config

function mysqlnd_memcache_set(mysqli|PDO $link, object|string|null $memcached = null, ?string $pattern = null, ?callable $callback = null): bool {} // vaquita::memcache::set
