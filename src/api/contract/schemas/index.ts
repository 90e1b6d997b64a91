/**
 * Every schema of what we answer, by its declared name: `RESPONSES` takes them from here, and OpenAPI names its components so. A name that
 * two files export does not compile. Ids, and the helpers of `scalars.ts`, are written out where they stand.
 */

export * from './access/audit'
export * from './access/secret'
export * from './access/token'
export * from './access/user'
export * from './inbox'
export * from './issue'
export * from './message'
export * from './notify'
export * from './overview'
export * from './plan'
export * from './record/conversation'
export * from './record/event'
export * from './record/session'
export * from './record/session-issue'
export * from './record/session-rows'
export * from './record/tree-level'
export * from './recovery'
export * from './registry'
export * from './registry-answers'
export { Usage } from './scalars'
export * from './service'
export * from './task'
export * from './todo-item'
export * from './worker'
