import type { ActivityObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Place } from './rollout/place'

/** What a line of the main thread says about whether the session is at work. */
export const activityOf = (
  { uuid, at }: Pick<Place, 'uuid' | 'at'>,
  state: ActivityObservation['state'],
  what: string,
): ActivityObservation => ({ kind: 'activity', uuid, at, state, evidence: clip(`transcript:${what}`, 100) })
