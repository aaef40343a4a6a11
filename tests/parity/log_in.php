<?php
// Accounts of every plugin: the right password, a wrong one and none, for the first time and again; with the server's key
// known beforehand, and with a stranger's.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$root = connect();
$user = 'log_in_' . $root->thread_id;
$file = tempnam(sys_get_temp_dir(), 'key');
if (on_mariadb()) {
    $root->query("INSTALL SONAME 'auth_ed25519'");
    $plugins = ['mysql_native_password' => 'VIA mysql_native_password USING PASSWORD(%s)', 'ed25519' => 'VIA ed25519 USING PASSWORD(%s)'];
} else {
    $plugins = ['mysql_native_password' => '', 'caching_sha2_password' => '', 'sha256_password' => ''];
    array_walk($plugins, fn(&$identified, $name) => $identified = "WITH $name BY %s");
}

/** Tries to log in, and tells what came of it. */
function log_in(string $label, string $user, string $password, ?string $key = null): void
{
    $link = mysqli_init();
    if ($key !== null) {
        $link->options(MYSQLI_SERVER_PUBLIC_KEY, $key);
    }
    $in = @$link->real_connect(...address(username: $user, password: $password, database: null));
    $who = $in ? preg_replace('/\d+/', 'N', $link->query('SELECT CURRENT_USER()')->fetch_row()[0]) : null;
    show($label, $in, $who, mysqli_connect_errno(), preg_replace('/_\d+/', '_N', (string) mysqli_connect_error()), $link->sqlstate ?? null);
}

foreach ($plugins as $plugin => $identified) {
    foreach (['with' => 'c0rrect', 'without' => ''] as $kind => $right) {
        section("$plugin, an account $kind password");
        foreach (['wrong first', 'right first'] as $order) {
            $root->query("DROP USER IF EXISTS '$user'");
            $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, "'$right'"));
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
            $root->query("DROP USER IF EXISTS '$user'");
            $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, "'c0rrect'"));
            log_in($label, $user, $password, $file);
        }
        section("$plugin, a stranger's key");
        file_put_contents($file, openssl_pkey_get_details(openssl_pkey_new(['private_key_bits' => 2048]))['key']);
        $root->query("DROP USER IF EXISTS '$user'");
        $root->query("CREATE USER '$user' IDENTIFIED " . sprintf($identified, "'c0rrect'"));
        log_in('right', $user, 'c0rrect', $file);
    }
}
section('nobody');
log_in('somebody else', 'nobody_here', 'c0rrect');
log_in('nobody', '', '');
$root->query("DROP USER '$user'");
unlink($file);
