<?php
// Accounts of every plugin: the right password, a wrong one and none, for the first time and again; with the server's key
// known beforehand, and with a stranger's.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
set_error_handler(fn() => true); // warnings say what mysqli_connect_error() says

$root = connect();
$user = 'log_in_' . server('TRANSPORT');
$file = tempnam(sys_get_temp_dir(), 'key');
// MariaDB's others are not here: stock lacks them, and as long as there are accounts of theirs, users that do not exist get them too.
$plugins = match (true) {
    on_mariadb() || on('mysql56') => ['mysql_native_password'],
    on('mysql97') => ['caching_sha2_password', 'sha256_password'],
    default => ['mysql_native_password', 'caching_sha2_password', 'sha256_password'],
};
$identified = match (true) {
    on_mariadb() => 'VIA %s USING PASSWORD(%s)',
    on('mysql56') => 'BY %2$s', // the plugin is the only one
    default => 'WITH %s BY %s',
};

/** Tries to log in, and tells what came of it. */
function log_in(string $label, string $user, string $password, ?string $key = null): void
{
    $link = mysqli_init();
    if ($key !== null) {
        $link->options(MYSQLI_SERVER_PUBLIC_KEY, $key);
    }
    $in = @$link->real_connect(...address(username: $user, password: $password, database: null));
    $who = $in ? $link->query('SELECT CURRENT_USER()')->fetch_row()[0] : '';
    show($label, $in, $who && str_starts_with($who, "$user@"), mysqli_connect_errno(), str_replace($user, 'USER', (string) mysqli_connect_error()));
}

foreach ($plugins as $plugin) {
    foreach (['with' => 'c0rrect', 'without' => ''] as $kind => $right) {
        section("$plugin, an account $kind password");
        foreach (['wrong first', 'right first'] as $order) {
            $root->query("DROP USER '$user'");
            $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, $plugin, "'$right'"));
            if ($order === 'wrong first') {
                log_in('wrong', $user, 'wrong');
                log_in('none', $user, '');
            }
            foreach (['first', 'again'] as $time) {
                log_in("right, $time", $user, $right);
            }
            log_in('wrong', $user, 'wrong');
        }
    }
    $key = on_mariadb() ? null : ($root->query("SHOW STATUS LIKE 'Caching_sha2_password_rsa_public_key'")->fetch_row()[1] ?? null);
    if ($key !== null) {
        section("$plugin, a known key");
        file_put_contents($file, $key);
        foreach (['c0rrect' => 'right', 'wrong' => 'wrong'] as $password => $label) {
            $root->query("DROP USER '$user'");
            $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, $plugin, "'c0rrect'"));
            log_in($label, $user, $password, $file);
        }
        section("$plugin, a stranger's key");
        file_put_contents($file, openssl_pkey_get_details(openssl_pkey_new(['private_key_bits' => 2048]))['key']);
        $root->query("DROP USER '$user'");
        $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, $plugin, "'c0rrect'"));
        log_in('right', $user, 'c0rrect', $file);
    }
}
$root->query("DROP USER '$user'");
unlink($file);
