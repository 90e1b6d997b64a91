import { CARRY_LIMIT } from '../../../domain/record/observation'
import { idOf, isRecord, listOf, textOf, timeOf, uuidOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { ordinalOf } from './rollout-line'

/** What earlier lines of a rollout say about later ones. */
export interface Carry {
  /** The turn's: lines of usage do not name it. */
  model: string | null
  /** The CLI's release. */
  version: string | null
  /**
   * The lines are a copy of another thread's, put here when this one was forked from it or launched with its history. They have the time
   * of the copy, so the ids of their turns tell where it ends: these hold the time at which a turn began. Milliseconds: when this thread
   * began. `null` = they are its own.
   */
  copyUntil: number | null
  /** The ordinal of the first line that is the thread's own, where its first line says it (0.200). `null` = it does not. */
  ownFrom: number | null
  /** Turns tell where the copy ends: they have ids. Releases before 0.99 gave them none. */
  hasTurnIds: boolean
  /** The time of the last copied line. Milliseconds. */
  copiedAt: number | null
  /** Sub-agents by their paths, the newest last: messages between agents name the path alone. */
  paths: readonly (readonly [path: string, subagentId: string])[]
  /** The turn met an error, and has not ended yet. */
  hasFailed: boolean
  /** The event before: a rollout is one chain. */
  lastUuid: string | null
  /** Lines that were read. */
  lines: number
  /** Lines of the file have no times (before 0.39): when it was begun, the only time that it tells. Milliseconds; `null` = they have. */
  bareSince: number | null
  /** The file tells where turns begin and end; releases of 2025 did not. */
  tellsTurns: boolean
}

const NOTHING: Readonly<Carry> = Object.freeze({
  model: null,
  version: null,
  copyUntil: null,
  ownFrom: null,
  hasTurnIds: false,
  copiedAt: null,
  paths: [],
  hasFailed: false,
  lastUuid: null,
  lines: 0,
  bareSince: null,
  tellsTurns: false,
})

export function readCarry(text: string | null | undefined): Carry {
  if (text === null || text === undefined) return { ...NOTHING }
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read)) return { ...NOTHING }
    return {
      model: textOf(read.model) ?? null,
      version: textOf(read.version) ?? null,
      copyUntil: timeOf(read.copyUntil),
      ownFrom: ordinalOf(read.ownFrom),
      hasTurnIds: read.hasTurnIds === true,
      copiedAt: timeOf(read.copiedAt),
      paths: pathsIn(read.paths),
      hasFailed: read.hasFailed === true,
      lastUuid: uuidOf(read.lastUuid) ?? null,
      lines: Number.isSafeInteger(read.lines) ? Number(read.lines) : 0,
      bareSince: timeOf(read.bareSince),
      tellsTurns: read.tellsTurns === true,
    }
  } catch {
    return { ...NOTHING }
  }
}

function pathsIn(value: unknown): Carry['paths'] {
  return listOf(value).flatMap((pair) => {
    const [path, id] = listOf(pair).map(idOf)
    return path === undefined || id === undefined ? [] : [[path, id] as const]
  })
}

/** Characters of a name in it, and of a path. */
const WORD_LIMIT = 100
export const PATH_LENGTH = 100

export function writeCarry(carry: Carry): string | null {
  const { paths } = carry
  // The oldest paths give way: all else is needed for every line.
  for (let first = 0; first <= paths.length; first++) {
    const text = textOfCarry({ ...carry, paths: paths.slice(first) })
    if (text.length <= CARRY_LIMIT) return text === '{}' ? null : text
  }
  return null
}

function textOfCarry(carry: Carry): string {
  const { model, version, copyUntil, ownFrom, hasFailed, lastUuid, lines, bareSince, tellsTurns } = carry
  return JSON.stringify({
    ...(carry.hasTurnIds && { hasTurnIds: true }),
    ...(carry.copiedAt !== null && { copiedAt: carry.copiedAt }),
    ...(carry.paths.length > 0 && { paths: carry.paths }),
    ...(model !== null && { model: clip(model, WORD_LIMIT) }),
    ...(version !== null && { version: clip(version, WORD_LIMIT) }),
    ...(copyUntil !== null && { copyUntil }),
    ...(ownFrom !== null && { ownFrom }),
    ...(hasFailed && { hasFailed }),
    ...(lastUuid !== null && { lastUuid }),
    ...(lines > 0 && { lines }),
    ...(bareSince !== null && { bareSince }),
    ...(tellsTurns && { tellsTurns }),
  })
}

const VERSION_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i

/** The milliseconds that an id of version 7 holds; `null` for every other id. */
export function timeOfId(id: string | undefined): number | null {
  const found = id === undefined ? null : VERSION_7.exec(id)
  return found === null ? null : timeOf(Number.parseInt(`${found[1]}${found[2]}`, 16))
}
