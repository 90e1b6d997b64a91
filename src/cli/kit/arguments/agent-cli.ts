import type { Client } from '../../../api/client'
import { AppError } from '../../../domain/errors'
import type { Context } from '../context'
import type { OptionSpec } from './specs'
import { didYouMean } from './suggest'

/** Option of every command about several agent CLIs; see `docs/guide/agents/README.md`. Check it by `checkAgentCli`. */
export const AGENT_CLI = {
  kind: 'text',
  value: 'NAME',
  help: 'only what is of this agent CLI: claude-code, codex, gemini and so on',
} as const satisfies OptionSpec

/**
 * Whether a view names agent CLIs: sessions of several are recorded. Most people have one, and need not read its name in each row.
 *
 * @param shown  the ones in the view; several of them say it without a question to the server
 */
export async function namesClis(
  { globals, client }: Pick<Context, 'globals' | 'client'>,
  shown: readonly (string | null)[] = [],
): Promise<boolean> {
  if (globals.isJson) return false
  if (new Set(shown.filter((name) => name !== null)).size > 1) return true
  const { agentClis } = await (await client()).agentClis.list()
  return agentClis.filter(({ isRecorded }) => isRecorded).length > 1
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.agentClis.list()).agentClis.map(({ name }) => name)

/** For an option that takes others as well: an agent CLI goes before a worker of the same name, which its ID names. */
export const isAgentCli = async (client: Client, name: string): Promise<boolean> =>
  (await namesOf(client)).includes(name)

/** Whether the server knows the agent CLI of an option. @throws `invalid` with the names */
export async function checkAgentCli(client: Client, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined
  const known = await namesOf(client)
  if (known.includes(name)) return name
  throw new AppError('invalid', `Lodeline knows no agent CLI '${name}'.${didYouMean(name, known)}`, {
    hint: `--agent takes one of ${known.join(', ')}.`,
  })
}
