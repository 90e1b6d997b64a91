import type { ReactNode } from 'react'

/** An empty state: why there is nothing, and what to do first. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-1.5 px-3 py-4 text-ink-2">
      <p className="text-sm font-medium text-ink">{title}</p>
      {children === undefined ? null : (
        <div className="flex max-w-prose flex-col items-start gap-2 text-sm">{children}</div>
      )}
    </div>
  )
}

/** A loading state. It is announced at once, but shown only after 300 ms so that nothing flickers. */
export function Loading({ what }: { what: string }) {
  return (
    <div role="status" className="px-4 py-6 text-sm text-ink-3">
      <span className="animate-[appear_0s_300ms_both]">{what} …</span>
    </div>
  )
}
