/**
 * The command of the hook that gives a run its start's reminder. The shell itself prints it, if the worker has written the text down by
 * then: the CLI would wait ten milliseconds longer for a process of ours. The payload is kept meanwhile. The claim is the one of
 * `cli/hooks/hook-moment.ts`; whichever prints the text makes it first.
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
