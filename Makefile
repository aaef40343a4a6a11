# What can be done here; each target is a script in scripts/.
.PHONY: help build demo test differential kv-equivalence reconcile test-matrix test-php84 conformance conformance-all conformance-memory apps bench calls cost persistent slow fpm opentelemetry install uninstall clean faults fuzz soak hostile

help:
	@echo "make demo         the same PHP scripts on the stock extensions and on Vaquita, side by side"
	@echo "make test         all checks and tests, on private servers"
	@echo "make test-matrix  the tests that need a server, on five: MariaDB 10.11 and 11.8, MySQL 5.6, 8.0 and 9.7"
	@echo "make test-php84   all tests that need PHP, on PHP 8.4"
	@echo "make conformance  PHP's own tests on stock and on Vaquita; SUITE=mysqli or pdo_mysql SERVER=mariadb MODES=tcp,socket,tls,compress (defaults: mysqli, mariadb, tcp)"
	@echo "make conformance-all  the same in all modes, on more servers, and those of PHP 8.4"
	@echo "make conformance-memory  those on a PHP for debugging, and under valgrind; SUITE=mysqli or pdo_mysql (default: both)"
	@echo "make apps         WordPress, phpMyAdmin, MediaWiki, Adminer and Doctrine DBAL on stock and on Vaquita: is every page the same?"
	@echo "make fpm      PHP-FPM behind nginx under load, with persistent connections, while the server is killed twice; REQUESTS=20000"
	@echo "make opentelemetry  PHP's OpenTelemetry auto-instrumentation of mysqli and PDO on stock and on Vaquita: are all spans the same? FOLDER has it (scripts/opentelemetry)"
	@echo "make bench        the workloads of the mission on both, beside C, with a report in target/report; ROUNDS=20 ONLY=fetch,memory for some of it"
	@echo "make calls        what each call of mysqli and PDO costs on both, in instructions"
	@echo "make cost         what statistics and a slow trace cost a small query, in instructions and in processor time; are the limits held? ROUNDS=20"
	@echo "make persistent   connecting over and over, with and without p:, on both and in C, near and far; is what was promised held? ROUNDS=5"
	@echo "make hostile      every script of the hostile server, through Rust, mysqli and PDO; SURVEY=1 also plays them to stock PHP and rewrites the table of docs/security.md"
	@echo "make slow         requests that are slow for one reason each: does vaquita trace summary tell which? Server, network, client, cold pages, connecting"
	@echo "make differential  random sequences of calls on stock and on Vaquita; SURFACE=mysqli or pdo (default: both) COUNT=10000 SEED=1"
	@echo "make kv-equivalence  random SELECTs by key with key-value access on and off, on mysql80, mysql56 and mariadb; N=100000 SEED=1 SERVERS=mariadb"
	@echo "make reconcile    does the driver count what the servers count? Known work through every function, on mariadb, mysql80 and mysql56; N=3000 SEED=1 SERVERS=mariadb"
	@echo "make faults       writes and reads through every function while networks break at random and servers are killed: is anything lost, doubled or hung? On mariadb and mysql80; N=10000 SEED=1 SERVERS=mariadb"
	@echo "make fuzz         libFuzzer with AddressSanitizer on every parser and on whole sessions; MINUTES=30 of processor time in all"
	@echo "make soak         a mixed load of 8 processes, 4 of them under PHP-FPM: is each answer right, do memory, descriptors and connections stay flat? MINUTES=60 SEED=1 STACK=stock"
	@echo "make build        build/vaquita.so, build/php: the system's PHP with Vaquita in it, and the program build/vaquita"
	@echo "make install      put Vaquita in the place of the stock extensions of the system's PHP (as root)"
	@echo "make uninstall    undo that"
	@echo "make clean        remove what was built"

build:
	@scripts/build

demo:
	@scripts/demo

test:
	@scripts/test

test-php84:
	@scripts/test-php84

test-matrix:
	@scripts/test-matrix

SERVER ?= mariadb
MODES ?= tcp
conformance:
	@scripts/conformance "$(or $(SUITE),mysqli)" "$(SERVER)" "$(MODES)"

conformance-all:
	@scripts/conformance-all

conformance-memory:
	@scripts/conformance-memory $(SUITE)

apps:
	@scripts/apps

fpm:
	@scripts/fpm

opentelemetry:
	@scripts/opentelemetry "$(FOLDER)"

bench:
	@ROUNDS="$(or $(ROUNDS),20)" ONLY="$(ONLY)" SIZE="$(SIZE)" REPORT="$(REPORT)" scripts/bench

calls:
	@scripts/calls

cost:
	@ROUNDS="$(or $(ROUNDS),20)" scripts/cost

persistent:
	@ROUNDS="$(or $(ROUNDS),5)" scripts/persistent

slow:
	@scripts/slow

hostile:
	@scripts/hostile $(if $(SURVEY),--survey)

COUNT ?= 10000
SEED ?= 1
differential:
	@scripts/differential $(if $(SURFACE),--surface "$(SURFACE)") --seed "$(SEED)" --count "$(COUNT)"

kv-equivalence:
	@N="$(or $(N),100000)" SEED="$(SEED)" SERVERS="$(SERVERS)" scripts/kv-equivalence

reconcile:
	@N="$(N)" SEED="$(SEED)" SERVERS="$(SERVERS)" scripts/reconcile

faults:
	@N="$(or $(N),10000)" SEED="$(SEED)" SERVERS="$(SERVERS)" scripts/faults

fuzz:
	@scripts/fuzz "$(or $(MINUTES),30)"

soak:
	@MINUTES="$(MINUTES)" SEED="$(SEED)" STACK="$(STACK)" scripts/soak

install:
	@scripts/install

uninstall:
	@scripts/install --undo

clean:
	@rm -rf build
	@cargo clean --quiet
