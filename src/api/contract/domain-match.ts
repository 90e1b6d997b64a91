/**
 * Compile-time proof that the wire schemas and the domain's types are the same. Holds no code: when they drift apart, the type
 * check fails here and names the pair.
 */
import type * as z from 'zod/mini'
import type { FeedEntry as DomainFeedEntry } from '../../domain/feed'
import type {
  ConversationEvent as DomainEvent,
  Session as DomainSession,
  Subagent as DomainSubagent,
  TreeNode as DomainTreeNode,
} from '../../domain/session'
import type { SearchHit as DomainSearchHit } from '../../domain/store'
import type { Todo as DomainTodo } from '../../domain/todo-item'
import type { ConversationEvent, SearchHit } from './schemas/event'
import type { FeedEntry } from './schemas/feed'
import type { Session, Subagent, TreeNode } from './schemas/session'
import type { Todo } from './schemas/todo-item'

type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Match<S extends z.core.$ZodType, Domain> = Equal<z.output<S>, Domain>

export type WireMatchesDomain = [
  Match<typeof Session, DomainSession>,
  Match<typeof Subagent, DomainSubagent>,
  Match<typeof TreeNode, DomainTreeNode>,
  Match<typeof ConversationEvent, DomainEvent>,
  Match<typeof Todo, DomainTodo>,
  Match<typeof FeedEntry, DomainFeedEntry>,
  Match<typeof SearchHit, DomainSearchHit>,
] extends true[]
  ? true
  : never

export const WIRE_MATCHES_DOMAIN: WireMatchesDomain = true
