/**
 * The program. Nothing is imported here that a command may not need: start-up is a budget, and hooks of agents start it often.
 */
import { endProcess } from '../util/process/end-process'
import { dispatch } from './dispatch'
import { processIo } from './kit/io'

// Set by bin/lode for this process alone: what it starts is not to run by it.
delete process.env.BUN_JSC_useFTLJIT

const ending = new AbortController()
const insisting = new AbortController()
let isTakenOver = false
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The first signal lets the command end in order; the second ends the process at once, or is the command's own when it took
  // it over, and then the third does. Counted by name: npm reports one Ctrl-C by two of them.
  // No `once`: the signal would end the process until the next handler is there.
  let isSecond = false
  process.on(name, () => {
    if (!isSecond) {
      isSecond = true
      ending.abort()
    } else if (!isTakenOver || insisting.signal.aborted) process.exit(130)
    else insisting.abort()
  })
}
const takeSecondSignal = (): AbortSignal => {
  isTakenOver = true
  return insisting.signal
}

// Everything was written and closed by now; a socket that is kept open for reuse must not keep the program.
endProcess(await dispatch(process.argv.slice(2), processIo(), ending.signal, takeSecondSignal))
