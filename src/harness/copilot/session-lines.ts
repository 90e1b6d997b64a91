import type { Observation } from '../../domain/record/observation'
import { idOf, recordOf, textOf, timeOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** The first line: where the session began, with which release and model. */
export function readStart(into: Observation[], place: Place): void {
  const version = textOf(place.data.copilotVersion)
  if (version) place.carry.version = clip(version, 100)
  // A fork begins with the origin's lines, their ids and times included. Its first line alone is written anew: stamped with the very time at
  // which the session starts (1.0.102). That of a session that is no fork is stamped later, and no line is older.
  if (place.at !== null && place.at === timeOf(place.data.startTime)) place.carry.copyUntil = place.at
  readContext(into, place)
}

/** Where the session is: at its start, when it is resumed, and when it moves. */
export function readContext(into: Observation[], place: Place): void {
  const { data, at, uuid, subagentId, translatedFrom, carry, type } = place
  if (subagentId !== null) return
  const context = recordOf(data.context) ?? data
  const cwd = textOf(context.cwd)
  const branch = textOf(context.branch)
  const model = modelOf(data.selectedModel)
  into.push({
    kind: 'session',
    uuid,
    at: (type === 'session.start' ? timeOf(data.startTime) : null) ?? at,
    ...(cwd && { cwd: clip(cwd, 4_000) }),
    ...(branch && { gitBranch: clip(branch, 400) }),
    ...(carry.version !== null && { agentVersion: carry.version }),
    ...(model !== undefined && { model }),
    ...(type === 'session.start' && translatedFrom !== null && { translatedFrom }),
  })
}

export const readModelChange = (into: Observation[], place: Place): void => readModel(into, place, place.data.newModel)
/** The CLI chose a model by itself. */
export const readChosenModel = (into: Observation[], place: Place): void =>
  readModel(into, place, place.data.chosenModel)

/** What answers from now on, or just did: of the session, or of the sub-agent whose line it is. */
export function readModel(into: Observation[], { at, uuid, subagentId }: Place, name: unknown): void {
  const model = modelOf(name)
  if (model === undefined) return
  into.push(subagentId === null ? { kind: 'session', uuid, at, model } : { kind: 'subagent', uuid, subagentId, model })
}

/** `auto` = the CLI chooses one for each answer, and says which. */
const modelOf = (name: unknown): string | undefined => (name === 'auto' ? undefined : idOf(name))
