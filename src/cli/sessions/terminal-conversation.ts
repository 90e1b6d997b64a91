import type { OpenedConversation } from '../../app/open-conversation'
import { shellLine } from '../../util/shell-words'

/** The command that a person pastes into a terminal to go on with a conversation. */
export function commandLine({ command, dir, env }: OpenedConversation): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${shellLine([value])}`)
  return `cd ${shellLine([dir])} && ${[...settings, shellLine(command)].join(' ')}`
}

/** Runs the agent's CLI in this terminal; gives its exit code. */
export async function talk(
  { command, dir, env }: OpenedConversation,
  base: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  // Some CLIs take their folder from PWD.
  const own = { ...base, PWD: dir, ...env }
  const child = Bun.spawn(command, { cwd: dir, env: own, stdio: ['inherit', 'inherit', 'inherit'] })
  return child.exited
}
