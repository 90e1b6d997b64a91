import * as z from 'zod/mini'
import type { REGISTRY_ROUTES } from './registry-routes'
import { byId, id, paging, type RequestSchemas, seq, taskTexts, text, words } from './request-fields'

const { optional } = z

const registration = () => ({
  /** What kind of client, e.g. `terminal`, `vscode`, `web`. */
  client: optional(words()),
  /** The machine's own name. */
  host: optional(words()),
  /** Folder or name. */
  project: optional(words()),
  title: optional(words()),
  owner: optional(words()),
  capabilities: optional(z.array(words())),
  /** The client's own. */
  metadata: optional(z.record(z.string(), z.unknown())),
})

/** How a client is known again. */
const attachment = () => ({ client: words(), host: words() })

/** What goes into requests about who is at which address. */
export const REGISTRY_REQUESTS = {
  'sessions.register': {
    body: () =>
      z.strictObject({
        /** The client's own id of its conversation; left out: it is given an address. */
        id: optional(id()),
        ...registration(),
      }),
  },
  'sessions.put': {
    params: byId,
    body: () =>
      z.strictObject({
        ...registration(),
        /** The client goes on with the conversation under this new id: it is an alias from now on. */
        resumedAs: optional(id()),
      }),
  },
  'sessions.attach': {
    params: byId,
    body: () =>
      z.strictObject({
        ...attachment(),
        /** Everything after this position was missed; left out: what nobody acknowledged or read. */
        after: optional(seq()),
      }),
  },
  'sessions.detach': {
    params: byId,
    body: () =>
      z.strictObject({
        attachmentId: optional(text(20)),
        client: optional(words()),
        host: optional(words()),
      }),
  },
  'sessions.tasks': { params: byId, query: () => z.strictObject({ ...taskTexts(), ...paging() }) },
  'sessions.activeTask': { params: byId },
  'sessions.resume': {
    params: byId,
    body: () =>
      z.strictObject({
        /** A task resumes it; else the answer is how a person does. */
        asTask: optional(z.boolean()),
        /** Of an address with several ids this very one, and not the one in which the conversation goes on. */
        exact: optional(z.boolean()),
        /** The folder, where it is not the one that it was. Absolute. */
        dir: optional(words()),
        model: optional(words()),
        /** For a task: what is said to the agent. */
        text: optional(words()),
        title: optional(words()),
        /** For a task: id or name. */
        agentId: optional(id()),
      }),
  },
} satisfies Record<keyof typeof REGISTRY_ROUTES, RequestSchemas>
