import { expect, test } from 'bun:test'
import { progressLine, readText } from './progress'

const MB = 1_000_000
const at = (bytesDone: number, bytesTotal: number) => ({ filesDone: 1, filesTotal: 4, bytesDone, bytesTotal })

test('a bar says the share, the speed and the time left, within 80 columns', () => {
  const line = progressLine('recording', at(250 * MB, 1_000 * MB), 2_000)
  expect(line).toBe('recording [#####...............]  25%  250 MB of 1.0 GB  125 MB/s  6s left')
  expect(line.length).toBeLessThan(80)
})

test('a speed is told once it is no chance, and nothing is left at the end', () => {
  expect(progressLine('importing', at(MB, 4 * MB), 100)).toBe('importing [#####...............]  25%  1.0 MB of 4.0 MB')
  expect(progressLine('importing', at(4 * MB, 4 * MB), 1_000)).toEndWith('4.0 MB of 4.0 MB  4.0 MB/s')
  expect(progressLine('importing', at(0, 0), 1_000)).toEndWith(' 25%  1/4 files')
  expect(readText({ files: 1, bytes: 2 * MB, durationMs: 2_000 })).toBe('1 file, 2.0 MB in 2.0 s (1.0 MB/s)')
})
