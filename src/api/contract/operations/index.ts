/** Every operation of the API, as a client calls it: `client.tasks.pause(id)`. */
import type { AnswerOf, Declaration, InputOf, Operation } from '../operation'
import { audit } from './access/audit'
import { login } from './access/login'
import { machines } from './access/machines'
import { secrets } from './access/secrets'
import { shares } from './access/shares'
import { tokens, workers } from './access/tokens'
import { users } from './access/users'
import { agentClis } from './agent-clis'
import { agents } from './agents'
import { attempts, files, questions } from './attempts'
import { days } from './days'
import { epics } from './epics'
import { events, feed, search, toolUses } from './events'
import { inbox } from './inbox'
import { issues } from './issues'
import { messages } from './messages'
import { notify } from './notify'
import { budgets, costs, costsOverTime, digest, fleet, lanes, needs, overview, tree } from './overview'
import { plans } from './plans'
import { handoffs, recall } from './recall'
import { doctor, health, hooks, importPaths, mcp, metrics, openapi, ready, rebuild, retention, status } from './server'
import { conversations, sessions } from './sessions'
import { recover, subagents } from './subagents'
import { tasks } from './tasks'
import { links, todos } from './todos'
import { views } from './views'

export const operations = {
  health,
  metrics,
  ready,
  status,
  doctor,
  retention,
  import: importPaths,
  rebuild,
  openapi,
  search,
  views,
  overview,
  digest,
  costs,
  costsOverTime,
  days,
  budgets,
  fleet,
  lanes,
  recover,
  recall,
  login,
  audit,
  secrets,
  sessions,
  conversations,
  subagents,
  toolUses,
  events,
  feed,
  hooks,
  tasks,
  epics,
  plans,
  agents,
  agentClis,
  attempts,
  questions,
  files,
  issues,
  todos,
  links,
  messages,
  handoffs,
  inbox,
  notify,
  needs,
  tree,
  mcp,
  tokens,
  shares,
  workers,
  machines,
  users,
}

export type Operations = typeof operations

/** Documents by operation: `Answers['tasks']['get']`. */
export type Answers = {
  readonly [Noun in keyof Operations]: Operations[Noun] extends Declaration
    ? AnswerOf<Operations[Noun]>
    : { readonly [Key in keyof Operations[Noun]]: AnswerOf<Declared<Operations[Noun][Key]>> }
}

/** What a client gives, by operation, beside the path's parameters: `Inputs['tasks']['patch']`. */
export type Inputs = {
  readonly [Noun in keyof Operations]: Operations[Noun] extends Declaration
    ? InputOf<Operations[Noun]>
    : { readonly [Key in keyof Operations[Noun]]: InputOf<Declared<Operations[Noun][Key]>> }
}

/** `tasks.pause`, `search`, … */
export type OperationName = {
  [Noun in keyof Operations]: Operations[Noun] extends Operation
    ? Operations[Noun]['name']
    : {
        [Key in keyof Operations[Noun]]: Operations[Noun][Key] extends Operation ? Operations[Noun][Key]['name'] : never
      }[keyof Operations[Noun]]
}[keyof Operations]

type Declared<Op> = Op extends Declaration ? Op : never

/** Whether an entry of `operations` is an operation itself, and not those of a noun. */
export function isOperation(one: object): one is Operation {
  return 'method' in one
}

/** All of them, in one list. */
export const allOperations: readonly Operation[] = Object.values<Operation | Readonly<Record<string, Operation>>>(
  operations,
).flatMap((one) => (isOperation(one) ? [one] : Object.values(one)))
