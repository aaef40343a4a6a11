<?php
/*
 * The server: where it is, what it is, and how it is reached.
 */

declare(strict_types=1);

final class Place
{
    public function __construct(public readonly string $name)
    {
        getenv($this->variable('SOCKET')) !== false || throw new Exception("there is no server $name in the environment");
    }

    private function variable(string $what): string
    {
        return 'VAQUITA_' . strtoupper($this->name) . "_$what";
    }

    public function of(string $what): string
    {
        return (string) getenv($this->variable($what));
    }

    /** Where rows can be had by key; null: nowhere. */
    public function key_value_address(): ?string
    {
        $port = getenv($this->variable('KEY_VALUE_PORT'));
        return $port === false ? null : "127.0.0.1:$port";
    }

    /** Of a version that the driver takes. */
    public function has_tls(): bool
    {
        return $this->name !== 'mysql56';
    }

    public function is_mariadb(): bool
    {
        return str_starts_with($this->name, 'mariadb');
    }
}
