<?php
// A user whose password has expired: refused, or let in to change it, by MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS or the flag.
// MariaDB lets everybody in by default (disconnect_on_expired_password), MySQL only who says that he can handle it.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$root = connect();
$user = 'expired' . $root->thread_id;
$plugin = match (true) {
    on_mariadb() => 'VIA mysql_native_password USING PASSWORD(%s)',
    on('mysql56') => 'BY %s',
    on('mysql97') => 'WITH caching_sha2_password BY %s',
    default => 'WITH mysql_native_password BY %s',
};
$root->query("CREATE USER '$user' IDENTIFIED " . sprintf($plugin, "'old'"));
function try_in(string $user, string $password, ?int $option, int $flags): ?mysqli
{
    $link = mysqli_init();
    if ($option !== null) {
        attempt('option', fn() => $link->options(MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS, $option));
    }
    $in = attempt('connects', fn() => @$link->real_connect(...address(username: $user, password: $password, database: null, flags: $flags)));
    show(mysqli_connect_errno(), preg_replace('/\d{2,}/', 'N', (string) mysqli_connect_error()));
    return $in ? $link : null;
}
foreach (['without' => [null, 0], 'option' => [1, 0], 'option off' => [0, 0], 'flag' => [null, MYSQLI_CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS]] as $name => [$option, $flags]) {
    section($name);
    $root->query("ALTER USER '$user' PASSWORD EXPIRE");
    $link = try_in($user, 'old', $option, $flags);
    if ($link) {
        attempt('query', fn() => $link->query('SELECT 1'));
        show_error($link);
        attempt('change', fn() => $link->query("SET PASSWORD = " . (on_mariadb() || on('mysql56') ? "PASSWORD('old')" : "'old'")));
        attempt('query again', fn() => $link->query('SELECT 1')->fetch_row());
    }
}
$root->query("DROP USER '$user'");
