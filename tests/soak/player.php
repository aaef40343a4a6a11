<?php
/*
 * Plays the steps of one process, each drawn by its number, and tells how the process is.
 */

declare(strict_types=1);

foreach (['dice', 'model', 'place', 'steps/mysqli', 'steps/prepared', 'steps/pdo', 'steps/own', 'steps/errors', 'steps/callbacks', 'steps/writes', 'vitals'] as $part) {
    require_once __DIR__ . "/$part.php";
}

final class Player
{
    /** What the spoilers keep a second, however many steps that is. */
    private const LEAKED_BYTES = 16 << 20;
    private const LEAKED_CONNECTIONS = 5;
    /** @var array<array-key, mixed> */
    private array $leaked = [];
    private readonly float $since;
    /** @var array<string, positive-int> */
    private readonly array $weights;
    public readonly Place $place;

    /**
     * @param array{process: int, seed: int, folder: string, spoil: ?string} $options
     * @param array{host: string, port: int, socket: string, user: string, password: string, database: string} $account
     */
    public function __construct(private readonly array $options, array $account, bool $is_fpm)
    {
        $this->since = microtime(true);
        error_reporting(E_ALL);
        set_error_handler(fn(int $level, string $message, string $file, int $line) => (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level, $file, $line));
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $is_vaquita = function_exists('Vaquita\query');
        ['process' => $process, 'seed' => $seed, 'folder' => $folder, 'spoil' => $spoil] = $options;
        $this->place = new Place($account, new Model($seed, $spoil === 'model'), new Ledger($process, "$folder/ledger-$process"), $folder, $is_vaquita, $is_fpm);
        $weights = [];
        foreach ([MysqliSteps::class, PreparedSteps::class, PdoSteps::class, ErrorSteps::class, CallbackSteps::class, WriteSteps::class, ...($is_vaquita ? [OwnSteps::class] : [])] as $class) {
            $of_class = $class::WEIGHTS + ($is_vaquita && defined("$class::OWN_WEIGHTS") ? $class::OWN_WEIGHTS : []);
            foreach ($of_class as $name => $weight) {
                $weights["$class::$name"] = $weight;
            }
        }
        $this->weights = $weights;
    }

    /** @throws Wrong also for whatever else a step throws: a step catches what it expects */
    public function play(int $step): void
    {
        $this->place->dice = new Dice($this->options['seed'], $this->options['process'], $step);
        [$class, $name] = explode('::', $this->place->dice->weighted($this->weights));
        try {
            (new $class($this->place))->$name();
        } catch (Throwable $e) {
            // Cut, for a line of a pipe is written in one go.
            throw new Wrong("seed {$this->options['seed']}, process {$this->options['process']}, step $step ($class::$name): " . ($e instanceof Wrong ? $e->getMessage() : substr((string) $e, 0, 2000)), 0, $e);
        } finally {
            $this->place->end_step();
        }
        if ($this->options['spoil'] === 'memory') {
            $this->leaked = [str_repeat('x', (int) ((microtime(true) - $this->since) * self::LEAKED_BYTES))];
        } elseif ($this->options['spoil'] === 'connections') {
            $name = 'kept ' . (int) (microtime(true) * self::LEAKED_CONNECTIONS);
            $this->leaked[$name] ??= new PDO($this->place->dsn(), $this->place->account['user'], $this->place->account['password'], [PDO::ATTR_PERSISTENT => $name]);
        } elseif ($this->options['spoil'] === 'counter' && $step === 20) {
            $this->place->ledger->add(0, 1);
        }
    }

    /** What goes at the end of a script, and of a step whose connection was left. */
    public function rest(): void
    {
        $this->place->let_go();
        gc_collect_cycles();
    }

    /** @return array<string, int|null> */
    public function figures(): array
    {
        $statistics = $this->place->is_vaquita ? Vaquita\statistics() : null;
        return [
            ...Vitals::own(),
            'open' => $statistics['connections']['open'] ?? null,
            'idle' => $statistics['pool']['idle'] ?? null,
            'answered' => $statistics['key_value']['answered'] ?? null,
        ];
    }
}
