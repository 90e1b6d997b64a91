/** The wire's types by name, for clients: no code behind them. */
export type { SearchHit, SearchResult } from '../../domain/conversation/event-store'

import type * as z from 'zod/mini'
import type { Journal as JournalSchema } from './schemas/record/session'
import type {
  Doctor as DoctorSchema,
  ErrorBody as ErrorBodySchema,
  Health as HealthSchema,
  ImportTotals as ImportTotalsSchema,
  Progress as ProgressSchema,
  RebuildTotals as RebuildTotalsSchema,
  Status as StatusSchema,
} from './schemas/service'

export type { Usage } from '../../domain/cost/usage'
export type { FeedEntry, FeedKind } from '../../domain/feed'
export type {
  ConversationEvent,
  Session,
  SessionStatus,
  Subagent,
  SubagentStatus,
  TreeNode,
} from '../../domain/session/session'
export type { Todo } from '../../domain/todo/todo-item'
export type Health = z.output<typeof HealthSchema>
export type Status = z.output<typeof StatusSchema>
export type Doctor = z.output<typeof DoctorSchema>
export type Journal = z.output<typeof JournalSchema>
export type Progress = z.output<typeof ProgressSchema>
export type ImportTotals = z.output<typeof ImportTotalsSchema>
export type RebuildTotals = z.output<typeof RebuildTotalsSchema>
export type ErrorBody = z.output<typeof ErrorBodySchema>
