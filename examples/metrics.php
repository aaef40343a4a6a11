<?php
/*
 * A page of the driver's metrics for Prometheus; docs/metrics.md says what they are. It needs no database, and shows neither data nor statements, but
 * how much there is to do: let only the scraper have it (by the web server's rules, or a port of its own).
 *
 *     scrape_configs:
 *       - job_name: php
 *         metrics_path: /metrics.php
 *         static_configs: [{targets: ['app.example:9253']}]
 */

if (!function_exists('Vaquita\metrics')) {
    http_response_code(503);
    header('Content-Type: text/plain; charset=utf-8');
    exit("Vaquita is not loaded: put extension=vaquita into php.ini (php --ri vaquita tells more)\n");
}
header('Content-Type: text/plain; version=0.0.4; charset=utf-8');
header('Cache-Control: no-store');
echo Vaquita\metrics();
