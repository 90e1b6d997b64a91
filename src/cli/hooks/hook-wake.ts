/**
 * The hook that waits: loaded by `lode hook --wake`, which the CLI runs beside its work (`asyncRewake`). What it says on stderr with exit
 * code 2 wakes an idle conversation.
 */
import { sessionId as asSessionId } from '../../domain/ids'
import { argumentsOf, cliProcess } from './cli-process'
import type { HookAnswerCall } from './hook-call'

/** What to say; '' = nothing, at once or when the conversation is over. */
export async function wakeText(call: HookAnswerCall): Promise<string> {
  const { payload, env, home } = call
  // A run is given its messages by its worker.
  if (env.LODELINE_TOKEN) return ''
  const hooks = await (await import('../../harness/registry')).hooksOf(call.agent)
  const event = hooks?.read(JSON.parse(new TextDecoder().decode(payload)))
  if (!hooks || (event?.kind !== 'start' && event?.kind !== 'turnEnd')) return ''
  const cli = cliProcess({ hooks, env })
  const { sessionId, transcript } = event
  if (cli === null || transcript === null) return ''
  // A process that ends with its answer would wait for a hook that waits.
  const words = argumentsOf(cli)
  if (words === null || hooks.arguments(words).isOneShot) return ''
  const { waitForMail } = await import('../../app/delivery/rewake')
  const root = hooks.rootOf(transcript)
  return await waitForMail({ home, session: asSessionId(sessionId), cli, transcript, root, env })
}
