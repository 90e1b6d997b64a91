import { useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import type { MapKind } from '#domain/session/minimap'
import { client } from '../../../lib/api'
import type { Lane } from '../list/session-pages'

export type Minimap = Answers['sessions']['minimap']

/** A conversation with fewer rows is seen whole. */
const LEAST_ROWS = 20

/** What stands out in a conversation; `null` = it is too short for a map, or not loaded yet. */
export function useMinimap({ sessionId, agent }: Lane): Minimap | null {
  const { data } = useQuery({
    queryKey: ['session', sessionId, 'minimap', agent ?? 'main'],
    queryFn: ({ signal }) =>
      client.sessions.minimap(sessionId, agent === null ? {} : { subagentId: agent }, { signal }),
  })
  return data === undefined || data.total < LEAST_ROWS || data.marks.length === 0 ? null : data
}

/** Names of kinds, for one and for several. */
export const KIND_WORDS: Readonly<Record<MapKind, readonly [one: string, many: string]>> = {
  prompt: ['prompt', 'prompts'],
  error: ['error', 'errors'],
  edit: ['edit', 'edits'],
  agent: ['sub-agent', 'sub-agents'],
  compaction: ['compaction', 'compactions'],
}

/** Colours of kinds, each with a place of its own across the rail, so that colour is not all that tells them apart. */
export const KIND_LOOKS: Readonly<Record<MapKind, string>> = {
  prompt: 'bg-accent inset-x-0',
  error: 'bg-fail left-0 right-1/2',
  edit: 'bg-done left-1/2 right-0',
  agent: 'bg-run left-1/3 right-0',
  compaction: 'bg-ink-3 inset-x-0',
}
