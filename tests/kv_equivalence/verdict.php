<?php
/*
 * What all of it comes to: the driver's counts beside the server's, and the last line.
 */

declare(strict_types=1);

final class Verdict
{
    private const LEAST_BY_PORT = 0.9;

    public bool $is_dead = false;
    private int $server_before = 0;
    private int $server_counted = 0;
    private int $failed = 0;

    public function __construct(private readonly Server $server, private readonly Comparison $comparison)
    {
    }

    public function begin_era(): void
    {
        $this->server_before = $this->server->requests();
    }

    public function end_era(): void
    {
        $this->server_counted += $this->server->requests() - $this->server_before;
    }

    private function counted(string $name): int
    {
        $value = $this->comparison->counted[$name] ?? 0;
        return is_int($value) ? $value : 0;
    }

    /** Before all else: a row that is another one on the second side only must be found, with hardly more steps than the one that shows it. */
    public function see_shortening(int $seed): void
    {
        Side::hear_notices();
        $schema = new Schema(new Dice($seed), $this->server->name, false, 2, 0);
        $round = new Round(0, new Dice($seed), $schema, $this->server->name);
        // None that would have the other side's row locked.
        $is_plain = fn(array $step) => $step[0] === 'ask' && preg_match('/^plain|unread$/', $step[1]) === 0 && preg_match('/^\s*SELECT(?!.*(UPDATE|SHARE|BEGIN|moded|changed))/is', $step[2]) === 1;
        $steps = [['connect'], ...array_slice(array_filter($round->steps, $is_plain), 0, 400)];
        array_splice($steps, 200, 0, [['spoil', 'DELETE FROM ' . ONE . '.t0 LIMIT 1']]);
        $round->steps = [...$steps, Changes::run('ROLLBACK'), ['ask', $round->surface === 'mysqli' ? 'store all' : 'query all', 'SELECT COUNT(*) FROM ' . ONE . '.t0', [], '']];
        $comparison = new Comparison($this->server, 1);
        ob_start();
        $comparison->play($round);
        $said = ob_get_clean();
        $lines = preg_match_all('/^  (connect|\[|spoil)/m', $said);
        if ($comparison->different === 0 || $lines > 6 || !str_contains($said, 'spoil')) {
            $this->failed++;
            echo "FAIL a row that differs was not found, or not with few steps:\n$said\n";
        }
    }

    /** Prints it. @return bool whether all is as it should be */
    public function tell(?Spoiler $spoiler): bool
    {
        [$comparison, $server] = [$this->comparison, $this->server];
        echo "$server->name\n";
        echo "  $comparison->errors errors among the answers; $comparison->stuck times both connected anew, for nothing else was answered\n";
        echo $comparison->left_out === 0 ? '' : "  $comparison->left_out rounds, or parts of them played again, were left out: a table could not be made\n";
        arsort($comparison->ways);
        foreach ($comparison->ways as $way => $count) {
            echo "  $count differ at $way\n";
        }
        if ($server->given_up > 0) {
            $this->failed++;
            echo "  FAIL $server->given_up times others could not change tables: a lock was held, for longer than others' changes may go unseen\n";
        }
        if ($server->has_counts()) {
            $this->compare_counts();
        } else {
            echo "  no Vaquita\\kv: only SQL was compared\n";
        }
        $is_good = $comparison->different === 0 && !$this->is_dead && $this->failed === 0;
        if ($spoiler !== null) {
            $is_good = $this->tell_spoilt($spoiler) && $is_good;
        }
        printf("kv: %d statements, %d differ, %d eligible, %d through the port\n", $comparison->statements, $comparison->different, $this->counted('eligible'), $this->counted('asked'));
        return $is_good;
    }

    private function compare_counts(): void
    {
        $counted = $this->comparison->counted;
        $reasons = $counted['reasons'] ?? [];
        unset($counted['reasons']);
        arsort($reasons);
        $shown = fn(array $counts) => implode(', ', array_map(fn(string $name, int $count) => "$name $count", array_keys($counts), $counts));
        echo '  the driver: ', $shown($counted), "\n  by SQL: ", $shown($reasons), "\n  the server: $this->server_counted requests\n";
        $asked = $this->counted('asked');
        // Of a request that failed nobody knows whether the server has seen it, perhaps twice.
        if (!$this->is_dead && abs($this->server_counted - $asked) > 2 * $this->counted('errors')) {
            $this->failed++;
            echo "  FAIL the server has counted $this->server_counted requests, the driver $asked\n";
        }
        if ($asked < self::LEAST_BY_PORT * $this->counted('eligible') || $asked === 0) {
            $this->failed++;
            printf("  FAIL only %.1f %% of what is eligible went through the port\n", 100 * $asked / max(1, $this->counted('eligible')));
        }
    }

    private function tell_spoilt(Spoiler $spoiler): bool
    {
        $all = array_unique([...Spoiler::ALL['mysqli'], ...Spoiler::ALL['pdo']]);
        $never = array_diff($all, array_keys($spoiler->noticed));
        printf("  %d things were altered and noticed, of %d kinds\n", array_sum($spoiler->noticed), count($spoiler->noticed));
        echo $never === [] ? '' : '  FAIL never altered: ' . implode(', ', $never) . "\n";
        foreach ($spoiler->missed as $what => $count) {
            echo "  FAIL $count times $what was altered and not noticed\n";
        }
        return $never === [] && $spoiler->missed === [];
    }
}
