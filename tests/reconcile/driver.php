<?php
/*
 * The driver's own figures: those of the process without those of the connection that observes the server.
 */

declare(strict_types=1);

final class Driver
{
    public function __construct(private readonly Observer $observer)
    {
    }

    /** @return array<string, int> commands as `COM_QUERY`, the driver's own as `own NAME`, those without a reply as `unanswered COM_QUERY` */
    public function count(): array
    {
        $all = Vaquita\statistics();
        $observing = $this->observer->counted();
        $figures = [
            ...self::named($all['connections'], ''),
            ...self::named($all['statement_cache'], 'cache '),
            ...self::named($all['own'], 'own '),
            ...self::named(self::upper($all['commands']), ''),
            ...self::named(self::upper($all['unanswered']), 'unanswered '),
            'bytes_sent' => $all['traffic']['bytes_sent'] - $observing['bytes_sent'],
            'bytes_received' => $all['traffic']['bytes_received'] - $observing['bytes_received'],
            'bytes_unanswered' => $all['traffic']['bytes_unanswered'],
            'idle' => $all['pool']['idle'],
        ];
        $figures['COM_QUERY'] = ($figures['COM_QUERY'] ?? 0) - $observing['com_query'];
        return $figures;
    }

    private static function named(array $figures, string $before): array
    {
        return array_combine(array_map(fn(string $name) => "$before$name", array_keys($figures)), $figures);
    }

    private static function upper(array $figures): array
    {
        return array_combine(array_map(fn(string $name) => 'COM_' . strtoupper($name), array_keys($figures)), $figures);
    }
}
