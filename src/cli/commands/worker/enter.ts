import { type KeptToken, keptTokens } from '../../../api/client/kept-tokens'
import { AppError, isAppError } from '../../../domain/errors'
import { stdinText } from '../../issues/issue-options'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { namedServers, overHttp } from '../../kit/connect'
import type { Context } from '../../kit/context'
import { oneLine } from '../../print/text'
import { enter } from '../../server/enter-worker'

/** Far more than a code has. */
const CODE_BYTES = 200

export const command = defineCommand({
  summary: 'Use a code here and keep the access that it gives, without starting a worker',
  details: [
    "'lode work --server URL' then needs no code. Without CODE the command says whether this machine has access already, and exits",
    'with 3 if it has none.',
  ].join('\n'),
  args: [{ name: 'CODE', help: "a code of 'lode worker enroll'; - reads stdin", isOptional: true }],
  options: {
    name: { kind: 'text', value: 'NAME', help: "the worker's name (default: that of the code)" },
    print: { kind: 'flag', help: 'print the token instead of the name: for a container that gets it as a secret' },
  },
  examples: [
    { line: 'lode worker enter 7KQM-2F9D-XW4C --server https://lode.example', does: 'keep the access of a code' },
    { line: 'lode worker enter --server https://lode.example', does: 'see whether this machine has access' },
  ],
  async run(context, { args: [given], options: { name, print } }) {
    const servers = namedServers(context)
    if (servers === null) throw usageError(context.path)('Name the server with --server URL.')
    if (given === undefined) {
      if (print) throw usageError(context.path)('--print needs a code.')
      const known: string[] = []
      for (const kept of keptTokens(context.config().home, servers))
        if ((name === undefined || kept.name === name) && (await isGood(context, servers, kept))) known.push(kept.name)
      if (known.length === 0)
        throw new AppError('not_found', `This machine has no access to ${servers.join(', ')}.`, {
          hint: "Get a code with 'lode worker enroll NAME' at the server.",
        })
      context.answer({ names: known }, () => known.map((one) => `${oneLine(one)}\n`).join(''))
      return
    }
    const code = (given === '-' ? await stdinText(context, CODE_BYTES) : given).trim()
    const kept = await enter(context, { code, name }, undefined)
    const answer = { names: [kept.name], ...(print && { token: kept.token }) }
    context.answer(answer, () => `${print ? kept.token : oneLine(kept.name)}\n`)
  },
})

/** The server still takes it: it may have been revoked, and the name be another machine's now. @throws `unavailable` */
async function isGood(
  context: Context,
  servers: readonly [string, ...string[]],
  { name, token }: KeptToken,
): Promise<boolean> {
  const { client, close } = await overHttp(context, servers, token)
  try {
    await client.agents.get(name)
    return true
  } catch (error) {
    if (isAppError(error) && error.code === 'unauthorized') return false
    throw error
  } finally {
    await close()
  }
}
