<?php
/*
 * The proof that the judge can fail: does in some tries what a driver must not, by a connection of its own or by what it reports.
 */

declare(strict_types=1);

final class Spoiler
{
    public const KINDS = ['double', 'forget', 'ghost', 'torn', 'stale', 'error', 'slow', 'stuck'];
    /** Of so many tries one is spoilt. Here networks lose nothing, so that all acts are done. */
    private const ONE_IN = 2;

    /** What was done in this try. */
    public ?string $done = null;

    public function __construct(private readonly mysqli $link)
    {
    }

    private function kind(Trial $trial): ?string
    {
        $number = $trial->plan->number;
        $is_its_turn = $number % self::ONE_IN === 0 && $this->done === null;
        return $is_its_turn ? self::KINDS[intdiv($number, self::ONE_IN) % count(self::KINDS)] : null;
    }

    private function does(string $kind, string $statement): void
    {
        $this->link->query($statement);
        $this->done = $kind;
    }

    /** A row was written; for once it is there twice, or not at all. */
    public function wrote(Trial $trial, int $item): void
    {
        match ($this->kind($trial)) {
            'double' => $this->does('double', $trial->insert($item)),
            'forget' => $this->does('forget', "DELETE FROM counter WHERE try = {$trial->plan->number} AND item = $item"),
            default => null,
        };
    }

    /** A row of another query. */
    public function row(Trial $trial, array $row): array
    {
        if ($this->kind($trial) === 'stale') {
            $this->done = 'stale';
            $row[0]++;
        }
        return $row;
    }

    /** A value of before. */
    public function value(Trial $trial, ?string $value): ?string
    {
        if ($this->kind($trial) === 'stale') {
            $this->done = 'stale';
            return 'stale';
        }
        return $value;
    }

    /** After an act that went well. */
    public function after(Trial $trial): void
    {
        switch ($this->kind($trial)) {
            case 'ghost':
                $this->does('ghost', $trial->insert(97));
                break;
            case 'torn':
                if ($trial->together !== []) {
                    $items = $trial->together[0];
                    $trial->sent($items); // as after an error
                    $this->does('torn', "DELETE FROM counter WHERE try = {$trial->plan->number} AND item = $items[0]");
                }
                break;
            case 'error':
                $trial->errors[] = ['query', 2013, 'spoilt'];
                $this->done = 'error';
                break;
            case 'slow':
                $trial->longest = [$trial->plan->most_seconds() + 1.0, 'query'];
                $this->done = 'slow';
                break;
            case 'stuck':
                sleep(3600);
        }
    }
}
