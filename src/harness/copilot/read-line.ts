import type { Observation } from '../../domain/record/observation'
import { textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { activityOf, eventOf } from './event'
import { readAssistantMessage, readNotification, readUserMessage } from './messages'
import type { Place } from './place'
import { readChosenModel, readContext, readModelChange, readStart } from './session-lines'
import { readSubagentEnd, readSubagentStart } from './subagents'
import { readToolResult, readToolStart, readUserCall } from './tool-lines'
import { readAnswerUsage, readCompactionUsage, readShutdownUsage, readUsageRecord } from './usage'

type Reader = (into: Observation[], place: Place) => void

/** What each type of line says. A type that is known and not named here says nothing beside its kind. */
const READERS: Readonly<Record<string, Reader>> = {
  'session.start': readStart,
  'session.resume': readContext,
  'session.context_changed': readContext,
  'session.model_change': readModelChange,
  'session.auto_mode_resolved': readChosenModel,
  'session.usage_record': readUsageRecord,
  'assistant.usage': readAnswerUsage,
  'user.message': readUserMessage,
  'assistant.message': readAssistantMessage,
  'tool.execution_start': readToolStart,
  'tool.execution_complete': readToolResult,
  'tool.user_requested': readUserCall,
  'subagent.started': readSubagentStart,
  'subagent.completed': readSubagentEnd,
  'subagent.failed': readSubagentEnd,
  'system.notification': readNotification,
  'system.message': (into, place) => into.push(eventOf(place, 'attachment', words(place, 'content'))),
  'skill.invoked': (into, place) => into.push(eventOf(place, 'attachment', words(place, 'content'))),
  'session.info': (into, place) => into.push(eventOf(place, 'system', words(place, 'message'))),
  'session.warning': (into, place) => into.push(eventOf(place, 'system', words(place, 'message'))),
  'session.handoff': (into, place) => into.push(eventOf(place, 'system', words(place, 'summary'))),
  'session.task_complete': (into, place) => into.push(eventOf(place, 'system', words(place, 'summary'))),
  'session.error'(into, place) {
    into.push(eventOf(place, 'error', words(place, 'message') || 'error'), ...activityOf(place, 'idle'))
  },
  abort(into, place) {
    const reason = words(place, 'reason') || 'no reason given'
    into.push(eventOf(place, 'system', `The turn was aborted: ${reason}`), ...activityOf(place, 'idle'))
  },
  'session.truncation': (into, place) => into.push(eventOf(place, 'system', 'Older messages were left out.')),
  'session.context_cleared': (into, place) => into.push(eventOf(place, 'system', 'The context was cleared.')),
  'session.compaction_complete'(into, place) {
    const isDone = place.data.success === true
    const text = words(place, isDone ? 'summaryContent' : 'error')
    into.push(eventOf(place, isDone ? 'compaction' : 'system', isDone ? text : `Compaction failed: ${text}`))
    readCompactionUsage(into, place)
  },
  'session.shutdown'(into, place) {
    readShutdownUsage(into, place)
    const reason = clip(words(place, 'shutdownType'), 60)
    into.push(...activityOf(place, 'ended').map((ended) => ({ ...ended, ...(reason && { reason }) })))
  },
}

const words = ({ data }: Place, field: string): string => (textOf(data[field]) ?? '').slice(0, 20_000_000)

/** Adds what a line says. */
export function readLine(into: Observation[], place: Place): void {
  if (Object.hasOwn(READERS, place.type)) READERS[place.type]?.(into, place)
}
