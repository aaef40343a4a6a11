<?php
function survey(array $a): int { return 1; }
