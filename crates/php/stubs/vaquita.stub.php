<?php

/*
 * What PHP sees of the module vaquita besides its settings: functions for what stock has no word for. Nothing is added to mysqli's classes.
 * The crate vaquita-stub-gen makes Zend's tables of this.
 */

namespace Vaquita;

function pool_stats(): array {} // statistics::pool_stats

function set_query_timeout(\mysqli $link, int $milliseconds): void {} // commands::set_query_timeout
