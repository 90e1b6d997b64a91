import { documentOf, type Outgoing, type SendSettings } from './outgoing'

/** A program that takes longer is ended. */
const COMMAND_MS = 15_000

/** What a program needs of this one's environment to be found and to reach a screen. Nothing that could be a secret is among it. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'LANG',
  'USER',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'SystemRoot',
  'PATHEXT',
  'TEMP',
]

/** Runs a channel's program with the notification as JSON on its standard input. Nothing of the notification is among its arguments. */
export async function runNotifyCommand(
  outgoing: Outgoing,
  { allowsCommands, signal }: SendSettings,
): Promise<string | null> {
  if (!allowsCommands)
    return 'programs are not allowed here; on the machine of the server, run `lode config set notify.commands true`'
  return await runProgram(JSON.parse(outgoing.channel.target ?? '[]') as string[], {
    input: JSON.stringify(documentOf(outgoing)),
    signal,
  })
}

/** @returns why it failed; `null` = it ended with 0 */
export async function runProgram(
  words: readonly string[],
  { input, signal }: { input: string; signal: AbortSignal },
): Promise<string | null> {
  const child = Bun.spawn([...words], {
    stdin: new TextEncoder().encode(input),
    env: Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
    stdout: 'ignore',
    stderr: 'pipe',
    signal,
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  })
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) return null
  const how = child.signalCode === null ? `exit code ${code}` : `ended by ${child.signalCode}`
  return [`${words[0]}: ${how}`, said.trim().split('\n').at(-1)?.slice(0, 200)].filter(Boolean).join(': ')
}
