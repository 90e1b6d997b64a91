import { expect, test } from 'bun:test'
import { DiskRoom } from './disk-room'

test('says once that the disk is full, and once that it has room again', () => {
  const news: string[] = []
  let free = { bytes: 2 ** 30, files: 100_000 }
  const log = { info: (text: string) => news.push(`info ${text}`), warn: (text: string) => news.push(`warn ${text}`) }
  const room = new DiskRoom('/there', log, () => free)
  const looked = () => [room.look(), room.isFull]
  expect([looked(), looked()]).toEqual([
    [false, false],
    [false, false],
  ])
  free = { ...free, bytes: 2 ** 20 }
  // Only a look tells.
  expect(room.isFull).toBe(false)
  expect([looked(), looked()]).toEqual([
    [true, true],
    [false, true],
  ])
  free = { ...free, bytes: 2 ** 27 }
  expect([looked(), looked()]).toEqual([
    [true, false],
    [false, false],
  ])
  expect(news).toEqual([
    'warn the disk has less than 64 MiB or 1,000 files free: no task is taken',
    'info the disk has room again: tasks are taken',
  ])
  free = { ...free, files: 10 }
  expect(new DiskRoom('/there', log, () => free).isFull).toBe(true)
})

test('a disk that has room is not full, nor is one that is not there', () => {
  const log = { info: () => {}, warn: () => {} }
  expect(new DiskRoom('/', log).isFull).toBe(false)
  expect(new DiskRoom('/not/there', log).isFull).toBe(false)
})
