--TEST--
No row is lost in silence, doubled, or left of a transaction, when the sessions of persistent connections are killed or cut at random
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
// seconds: 900
require 'support/reuse_faults.php';
reuse_faults((int) (getenv('VAQUITA_FAULT_TRIES') ?: 300));
?>
--EXPECTF--
%d of them failed, %d connections were reused, %d were replaced
reuse faults: %d tries, %d killed, 0 lost, 0 doubled, 0 not rolled back
