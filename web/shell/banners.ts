import type { ComponentType } from 'react';
import { ViewBanner } from '../features/accounts/auth/ViewBanner.tsx';
import { MinSpendNotice } from '../features/money/minimum-spend/MinSpendNotice.tsx';
import { AgreementNotice } from './AgreementNotice.tsx';
import { Warnings } from './Warnings.tsx';

/** Banners above every page, from top to bottom; each shows itself when it has something to say. */
export const banners: readonly (readonly [name: string, banner: ComponentType])[] = [
  ['view mode', ViewBanner],
  ['warnings', Warnings],
  ['agreement', AgreementNotice],
  ['minimum spend', MinSpendNotice],
];
