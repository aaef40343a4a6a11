<?php

/*
 * What PHP sees of pdo_mysql besides the class PDO, which is PDO's own: since PHP 8.4 the driver has a class, as stock's Reflection shows it.
 * The crate vaquita-stub-gen makes Zend's tables of this.
 */

namespace Pdo;

class Mysql extends \PDO { // not serializable, no dynamic properties, since 8.4
    public const ATTR_USE_BUFFERED_QUERY = 1000;
    public const ATTR_LOCAL_INFILE = 1001;
    public const ATTR_INIT_COMMAND = 1002;
    public const ATTR_COMPRESS = 1003;
    public const ATTR_DIRECT_QUERY = 1004;
    public const ATTR_FOUND_ROWS = 1005;
    public const ATTR_IGNORE_SPACE = 1006;
    public const ATTR_SSL_KEY = 1007;
    public const ATTR_SSL_CERT = 1008;
    public const ATTR_SSL_CA = 1009;
    public const ATTR_SSL_CAPATH = 1010;
    public const ATTR_SSL_CIPHER = 1011;
    public const ATTR_SERVER_PUBLIC_KEY = 1012;
    public const ATTR_MULTI_STATEMENTS = 1013;
    public const ATTR_SSL_VERIFY_SERVER_CERT = 1014;
    public const ATTR_LOCAL_INFILE_DIRECTORY = 1015;

    public function getWarningCount(): int {} // pdo::database::warning_count
}
