/**
 * The hook that waits: loaded by `lode hook --wake`, which the CLI runs beside its work (`asyncRewake`). What it says on stderr with exit
 * code 2 wakes an idle conversation.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sessionId } from '../../domain/ids'
import { cliProcess } from './cli-process'
import type { HookAnswerCall } from './hook-call'
import { readMessageMoment } from './hook-messages'

/** What to say; '' = nothing, at once or when the conversation is over. */
export async function wakeText({ payload, env, home }: HookAnswerCall): Promise<string> {
  // A run is given its messages by its worker.
  if (env.LODELINE_TOKEN) return ''
  const moment = readMessageMoment(JSON.parse(new TextDecoder().decode(payload)))
  const cli = cliProcess(env)
  if (moment === null || moment.event === 'UserPromptSubmit' || cli === null || moment.transcript === null) return ''
  if (isOneShot(cli)) return ''
  const { waitForMail } = await import('../../app/delivery/rewake')
  return await waitForMail({
    home,
    session: sessionId(moment.session),
    cli,
    transcript: moment.transcript,
    // <root>/projects/<project>/<session>.jsonl
    root: dirname(dirname(dirname(moment.transcript))),
    env,
  })
}

/** A process that ends with its answer would wait for a hook that waits: `-p` without lines on its input. */
function isOneShot(cli: string): boolean {
  try {
    const words = readFileSync(`/proc/${cli.split('@')[0]}/cmdline`, 'utf8').split('\0')
    if (!words.some((word) => word === '-p' || word === '--print')) return false
    const at = words.findIndex((word) => /^--input-format(=|$)/.test(word))
    return at < 0 || (words[at]?.split('=')[1] ?? words[at + 1]) !== 'stream-json'
  } catch {
    return true
  }
}
