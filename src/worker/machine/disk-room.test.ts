import { expect, jest, test } from 'bun:test'
import { DiskRoom } from './disk-room'

test('says once that the disk is full, and once that it has room again', () => {
  const news: string[] = []
  let free = 2 ** 30
  const log = { info: (text: string) => news.push(`info ${text}`), warn: (text: string) => news.push(`warn ${text}`) }
  const now = jest.spyOn(performance, 'now')
  const room = new DiskRoom('/there', log, () => free)
  const at = (ms: number): boolean => {
    now.mockReturnValue(ms)
    return room.isFull
  }
  try {
    expect([at(0), at(5_000)]).toEqual([false, false])
    free = 2 ** 20
    // The disk is not asked at each look.
    expect([at(5_500), at(6_000), at(7_000), at(8_000)]).toEqual([false, true, true, true])
    free = 2 ** 27
    expect([at(9_000), at(10_000)]).toEqual([false, false])
    expect(news).toEqual([
      'warn the disk has less than 64 MiB free: no task is taken',
      'info the disk has room again: tasks are taken',
    ])
  } finally {
    now.mockRestore()
  }
})

test('a disk that has room is not full, nor is one that is not there', () => {
  const log = { info: () => {}, warn: () => {} }
  expect(new DiskRoom('/', log).isFull).toBe(false)
  expect(new DiskRoom('/not/there', log).isFull).toBe(false)
})
