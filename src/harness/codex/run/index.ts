import { AppError } from '../../../domain/errors'
import type { HarnessRun } from '../../../domain/harness/harness-run'
import { startAnswer } from '../hooks'
import { cutAtLastTurn } from './cut'
import { mayPassOn, runEnvironment } from './environment'
import { findExecutable, MINIMUM_VERSION, version } from './executable'
import { livePieces } from './live-pieces'
import { modelUrls } from './model-urls'
import { outcome } from './outcome'
import { checkedId, openedBy, transcriptPath } from './place'
import { restore } from './restore'
import { hookArguments } from './run-hooks'
import { state } from './state'
import { CodexTalk } from './talk'

/** How Codex is run: by its app-server, from 0.169 on. Its `exec` tells no kinds of errors, no sub-agents, and asks for nothing. */
export const codexRun = {
  agent: 'codex',
  minimum: MINIMUM_VERSION,
  version,
  findExecutable,
  runArguments: (launch) => [
    ...['app-server', '-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
    ...hookArguments(launch),
  ],
  openArguments({ resume, fork, model }) {
    if (fork && resume === null)
      throw new AppError('invalid', 'There is no conversation to fork.', {
        hint: 'Give the conversation to resume as well.',
      })
    const verb = resume === null ? [] : [fork ? 'fork' : 'resume', checkedId(resume)]
    return [...verb, ...(model === null ? [] : [`--model=${checkedModel(model)}`])]
  },
  runEnvironment,
  mayPassOn,
  modelUrls,
  // All goes in by the protocol.
  runFiles: () => [],
  startAnswer,
  sessionIds: 'its',
  transcriptPath,
  openedBy,
  state,
  restore,
  cutAtLastTurn,
  input: 'lines',
  asksPermission: true,
  // A SIGTERM leaves its tools at work, and its turn without an end.
  stopSignal: 'SIGINT',
  talk: (launch) => new CodexTalk(launch),
  livePieces,
  outcome,
} satisfies HarnessRun

/** @throws `invalid` what could be taken for an option */
function checkedModel(model: string): string {
  if (/^[\w][\w.:/[\]-]{0,127}$/.test(model)) return model
  throw new AppError('invalid', `${JSON.stringify(model.slice(0, 100))} is not the name of a model.`, {
    hint: 'Names have letters, digits, dots and hyphens.',
  })
}
