/**
 * Every schema of what we answer, by its declared name: `RESPONSES` takes them from here, and OpenAPI names its components so. A name that
 * two files export does not compile. Ids, and the helpers of `scalars.ts`, are written out where they stand.
 */

export * from './audit'
export * from './conversation'
export * from './event'
export * from './inbox'
export * from './issue'
export * from './message'
export * from './overview'
export * from './plan'
export * from './recovery'
export * from './registry'
export * from './registry-answers'
export { Usage } from './scalars'
export * from './secret'
export * from './service'
export * from './session'
export * from './session-issue'
export * from './session-rows'
export * from './task'
export * from './todo-item'
export * from './token'
export * from './tree-level'
export * from './user'
export * from './worker'
