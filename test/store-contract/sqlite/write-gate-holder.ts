/** For the gate's test: a thread that takes its turn and never gives it back. */
import { WriteGate } from '../../../src/store/sql/write-gate'

declare const self: Worker

self.onmessage = async (event: MessageEvent) => {
  const gate = new WriteGate(event.data as SharedArrayBuffer)
  await gate.acquire('bulk')
  self.postMessage(gate.member)
}
