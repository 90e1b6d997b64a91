import * as z from 'zod/mini'
import { REGISTRATION_KINDS } from '../../../domain/registry'
import {
  addressSchema,
  agentIdSchema,
  attemptIdSchema,
  Instant,
  MaybeText,
  sessionIdSchema,
  taskIdSchema,
} from './scalars'

/** An address with what its client says of itself. It persists over restarts of client, server and CLI. */
export const Registration = z.object({
  address: addressSchema,
  kind: z.enum(REGISTRATION_KINDS),
  client: MaybeText,
  host: MaybeText,
  project: MaybeText,
  title: MaybeText,
  owner: MaybeText,
  capabilities: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  createdAt: Instant,
  lastSeenAt: Instant,
})

/** A client that takes an address's messages. */
export const Attachment = z.object({
  id: z.string(),
  client: z.string(),
  host: z.string(),
  attachedAt: Instant,
  lastSeenAt: Instant,
})

/** The attempt that runs the conversation, or ran it last. */
export const SessionWorker = z.object({
  agentId: agentIdSchema,
  agentName: z.string(),
  taskId: taskIdSchema,
  attemptId: attemptIdSchema,
  isLive: z.boolean(),
})

/** The conversation of a live run. */
export const WorkerSession = z.object({
  sessionId: sessionIdSchema,
  taskId: taskIdSchema,
  attemptId: attemptIdSchema,
})

/** Another id of the same address, with what says so. */
export const AddressAlias = z.object({ id: z.string(), evidence: z.string() })
