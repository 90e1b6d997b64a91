import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { lazyPart } from './components/lazy-part'
import { parseSearch, type Search, writeSearch } from './lib/search'
import { HomePage } from './routes/home'
import { NotFound, RouteError } from './shell/route-error'
import { Shell } from './shell/shell'

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: RouteError })

/** The search part stays plain words; each page parses its own (`lib/search.ts`). */
const validateSearch = (search: Search): Search => search
const getParentRoute = () => rootRoute

const routes = [
  createRoute({ getParentRoute, path: '/', validateSearch, component: HomePage }),
  createRoute({
    getParentRoute,
    path: '/tree',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/tree')).TreePage),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/sessions')).SessionsPage),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/$id',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/session')).SessionPage),
  }),
  createRoute({
    getParentRoute,
    path: '/day',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/day')).DayPage),
  }),
  createRoute({
    getParentRoute,
    path: '/compare',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/compare')).ComparePage),
  }),
  createRoute({
    getParentRoute,
    path: '/tasks',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/tasks')).TasksPage),
  }),
  createRoute({
    getParentRoute,
    path: '/tasks/$id',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/task')).TaskPage),
  }),
  createRoute({
    getParentRoute,
    path: '/issues',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/issues')).IssuesPage),
  }),
  createRoute({
    getParentRoute,
    path: '/issues/$id',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/issue')).IssuePage),
  }),
  createRoute({
    getParentRoute,
    path: '/search',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/search')).SearchPage),
  }),
  createRoute({
    getParentRoute,
    path: '/costs',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/costs')).CostsPage),
  }),
  createRoute({
    getParentRoute,
    path: '/fleet',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/fleet')).FleetPage),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/audit')).AuditPage),
  }),
  createRoute({
    getParentRoute,
    path: '/doctor',
    validateSearch,
    component: lazyPart(async () => (await import('./routes/doctor')).DoctorPage),
  }),
] as const

/** All pages of the dashboard. Each but Home is loaded when it is first visited. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([...routes]),
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
