import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { session } from './api/client.ts';
import { type SessionUser, userMay, userQuery } from './api/user.ts';
import { ErrorPage } from './features/shell/ErrorPage.tsx';
import { NotFoundPage } from './features/shell/NotFoundPage.tsx';
import { PendingPage } from './features/shell/PendingPage.tsx';

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: session.alive ? '/dashboard' : '/login', replace: true });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: () => {
    if (session.alive) throw redirect({ to: '/dashboard', replace: true });
  },
  component: lazyRouteComponent(() => import('./features/access/LoginPage.tsx')),
});

const registerPage = lazyRouteComponent(() => import('./features/access/RegisterPage.tsx'));
const visitorsOnly = () => {
  if (session.alive) throw redirect({ to: '/dashboard', replace: true });
};

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  beforeLoad: visitorsOnly,
  component: registerPage,
});

const agencyRegister = createRoute({
  getParentRoute: () => root,
  path: '/agency-register/{-$referralCode}',
  beforeLoad: visitorsOnly,
  component: registerPage,
});

const confirmRegister = createRoute({
  getParentRoute: () => root,
  path: '/register/confirm/$token',
  component: lazyRouteComponent(() => import('./features/access/ConfirmPage.tsx')),
});

const setNewPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-new-password/$token',
  component: lazyRouteComponent(() => import('./features/access/SetPasswordPage.tsx')),
});

const resetPasswordInvalid = createRoute({
  getParentRoute: () => root,
  path: '/reset-password-invalid',
  component: lazyRouteComponent(() => import('./features/access/ResetInvalidPage.tsx')),
});

const sso = createRoute({
  getParentRoute: () => root,
  path: '/sso',
  component: lazyRouteComponent(() => import('./features/access/SsoPage.tsx')),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./features/access/SetupPage.tsx')),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email/$token',
  component: lazyRouteComponent(() => import('./features/access/ConfirmEmailPage.tsx')),
});

/** Everything behind the login: renews the session, loads the person, draws the frame. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  beforeLoad: async ({ context, location }): Promise<{ user: SessionUser }> => {
    if (!session.alive) {
      const back = location.href === '/dashboard' ? {} : { next: location.href };
      throw redirect({ to: '/login', search: back as never, replace: true });
    }
    return { user: await context.queryClient.ensureQueryData(userQuery) };
  },
  component: lazyRouteComponent(() => import('./features/shell/Frame.tsx')),
});

const dashboardPage = lazyRouteComponent(() => import('./features/insight/DashboardPage.tsx'));

const dashboard = createRoute({ getParentRoute: () => framed, path: '/dashboard', component: dashboardPage });

/** A module's pages live under the name that the agency gave the module; any other name is no page. */
const moduleRoot = createRoute({
  getParentRoute: () => framed,
  path: '/$slug',
  beforeLoad: ({ context, params }) => {
    if (params.slug !== context.user.leadlocalurl) throw notFound();
  },
});

const moduleHome = createRoute({
  getParentRoute: () => moduleRoot,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$slug/dashboard', params, replace: true });
  },
});

const moduleDashboard = createRoute({
  getParentRoute: () => moduleRoot,
  path: '/dashboard',
  component: dashboardPage,
});

const campaigns = createRoute({
  getParentRoute: () => moduleRoot,
  path: '/campaign-management',
  component: lazyRouteComponent(() => import('./features/campaigns/CampaignsPage.tsx')),
});

const peopleImport = createRoute({
  getParentRoute: () => framed,
  path: '/configuration/people-import',
  beforeLoad: ({ context }) => {
    if (!userMay(context.user, 'people.import')) throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/identity/ImportPage.tsx')),
});

/** Of system users alone; everybody else gets the 404 page (spec product 2). */
const agencyList = createRoute({
  getParentRoute: () => framed,
  path: '/configuration/agency-list',
  beforeLoad: ({ context }) => {
    if (!context.user.systemuser || !userMay(context.user, 'company.list')) throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/access/AgencyListPage.tsx')),
});

/** A system user's is the Agency List (spec product 2). */
const clientManagement = createRoute({
  getParentRoute: () => framed,
  path: '/configuration/client-management',
  beforeLoad: ({ context }) => {
    if (context.user.systemuser) throw redirect({ to: '/configuration/agency-list', replace: true });
    if (!userMay(context.user, 'company.list')) throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/access/ClientManagementPage.tsx')),
});

const userSessions = createRoute({
  getParentRoute: () => framed,
  path: '/user/sessions',
  component: lazyRouteComponent(() => import('./features/access/SessionsPage.tsx')),
});

const generalSetting = createRoute({
  getParentRoute: () => framed,
  path: '/configuration/general-setting',
  beforeLoad: ({ context }) => {
    if (!userMay(context.user, 'setting.read')) throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/settings/GeneralSettingPage.tsx')),
});

const profile = createRoute({
  getParentRoute: () => framed,
  path: '/user/profile',
  beforeLoad: ({ context }) => {
    if (context.user.user_type === 'sales') throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/profile/ProfilePage.tsx')),
});

const profileSetup = createRoute({
  getParentRoute: () => framed,
  path: '/user/profile-setup',
  component: lazyRouteComponent(() => import('./features/profile/ProfileSetupPage.tsx')),
});

const profileSetupV1 = createRoute({
  getParentRoute: () => framed,
  path: '/user/profile-setup-v1',
  component: lazyRouteComponent(() => import('./features/profile/ProfileSetupV1Page.tsx')),
});

const questionnaire = createRoute({
  getParentRoute: () => framed,
  path: '/user/questionnaire',
  beforeLoad: ({ context }) => {
    if (context.user.company_kind === 'client') throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/questionnaire/QuestionnairePage.tsx')),
});

const questionnaireAdd = createRoute({
  getParentRoute: () => framed,
  path: '/user/questionnaire-add',
  beforeLoad: ({ context }) => {
    if (context.user.company_kind === 'client') throw notFound();
  },
  component: lazyRouteComponent(() => import('./features/questionnaire/QuestionnaireAddPage.tsx')),
});

const roleList = createRoute({
  getParentRoute: () => framed,
  path: '/configuration/role-list',
  component: lazyRouteComponent(() => import('./features/roles/RoleListPage.tsx')),
});

const tree = root.addChildren([
  home,
  login,
  register,
  agencyRegister,
  confirmRegister,
  setNewPassword,
  resetPasswordInvalid,
  sso,
  setup,
  confirmEmail,
  framed.addChildren([
    dashboard,
    peopleImport,
    agencyList,
    clientManagement,
    userSessions,
    generalSetting,
    profile,
    profileSetup,
    profileSetupV1,
    questionnaire,
    questionnaireAdd,
    roleList,
    moduleRoot.addChildren([moduleHome, moduleDashboard, campaigns]),
  ]),
]);

/** The router of the app. Search parameters are plain strings, so that addresses stay readable. */
export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingMs: 100,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
      return text && `?${text}`;
    },
  });
}
