/**
 * The command of the hook by which a run is told its start. The shell itself tells it, where the worker has written the text down by then:
 * the CLI waits for a process of ours ten milliseconds longer. The payload is kept meanwhile. The claim is the one of
 * `cli/hooks/hook-moment.ts`, made first by whoever tells it.
 *
 * For a POSIX shell.
 *
 * @param hook  the hook's command, quoted for a shell, as it is where nothing is answered
 * @see HarnessRun.startAnswer
 */
export const startCommand = (hook: string): string =>
  [
    't="$LODELINE_RUN_DIR/start-$LODELINE_RUN_MOMENT"; c="$LODELINE_RUN_DIR/told"',
    'if [ -r "$t" ] && mkdir -p -m 700 "$c" && (set -C; : > "$c/start.1") 2> /dev/null',
    `then p=$(cat); { printf %s "$p" | ${hook}; } > /dev/null 2>&1 & cat "$t"`,
    `else exec ${hook} --answer; fi`,
  ].join('; ')
