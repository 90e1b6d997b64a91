import type { Observation, SessionObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, textOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import { SYNTHETIC_MODEL } from './line-type'

/** Adds what a line of the main thread says about its session: where it works, with which version and model, its first words. */
export function addSessionFacts(
  into: Observation[],
  line: { record: JsonRecord; uuid: string; at: number | null },
  said: { prompt?: string; model?: unknown },
): void {
  const { record } = line
  const cwd = textOf(record.cwd)
  const gitBranch = textOf(record.gitBranch)
  const version = textOf(record.version)
  const model = idOf(said.model)
  const title = said.prompt === undefined ? undefined : titleOf(said.prompt)
  const isOwnWord = model === undefined || model === SYNTHETIC_MODEL
  if (!cwd && !gitBranch && !version && isOwnWord && title === undefined) return
  const session: SessionObservation = { kind: 'session', uuid: line.uuid, at: line.at }
  if (cwd) session.cwd = clip(cwd, 4_000)
  if (gitBranch) session.gitBranch = clip(gitBranch, 400)
  if (version) session.agentVersion = clip(version, 100)
  if (!isOwnWord) session.model = model
  if (title !== undefined) session.title = { text: title, source: 'prompt' }
  into.push(session)
}
