/**
 * Loaded before each test file of a test run. Starts the threads of a server as the run bundled them: from source, each start of each
 * thread compiles all that it imports anew. A server in a test's own process takes a third less work this way.
 */
import { join } from 'node:path'

/** Names the folder with the bundled threads, which has the paths of `src`. */
export const THREADS_VARIABLE = 'LODELINE_TEST_THREADS'

const folder = process.env[THREADS_VARIABLE]
if (folder !== undefined)
  globalThis.Worker = new Proxy(Worker, {
    construct(target, [url, ...rest]: ConstructorParameters<typeof Worker>) {
      const thread = /\/src\/(app\/threads\/[\w-]+-thread)\.ts$/.exec(String(url))?.[1]
      return new target(thread === undefined ? url : join(folder, `${thread}.js`), ...rest)
    },
  })
