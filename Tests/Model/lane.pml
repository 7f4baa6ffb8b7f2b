/* The lane of one account: refresh, sign-out, sign-in, the worker, the watch. Documentation/Internals/Lane.md says the same in words; README.md
   says which function does which step. Services: 1 A, 2 B1, 3 B2, 4 C, 5 refuses an old token and lets its family live.

   Token = login*8 + generation; the access token of an answer has the number of its refresh token. One atomic step is one store
   read, one store commit, one lock operation, one act of the service, or one delivery; a process may die between any two.

   Rules: each is in (1), and can be taken out (0). The number behind it is the row of Documentation/Internals/Lane.md, section 7.          */
#ifndef R_HOLD
#define R_HOLD 1       /* 1, 2: a marked token is not sent again while the marked request may be on its way */
#endif
#ifndef R_REST
#define R_REST 1       /* 2, B1: sent again at once, but the successor rests */
#endif
#ifndef R_CLASSIFY
#define R_CLASSIFY 1   /* 3, 4: a lost commit is understood by reading */
#endif
#ifndef R_LOGIN
#define R_LOGIN 1      /* 5: a sign-out ends the login it was asked to end, no other */
#endif
#ifndef R_REPEAT
#define R_REPEAT 1     /* 6: a sign-out that lost its commit tries again */
#endif
#ifndef R_VERSION
#define R_VERSION 1    /* 7: a version never comes again */
#endif
#ifndef R_COMMIT
#define R_COMMIT 1     /* 8: the credential goes and is owed in one commit, with its mark */
#endif
#ifndef R_WORKER
#define R_WORKER 1     /* 9: what is owed with a mark is sent again, in the lane, and what comes is revoked */
#endif
#ifndef R_SIGNIN
#define R_SIGNIN 1     /* 10: a sign-in over a login owes the old one in the same commit */
#endif
#ifndef R_READ
#define R_READ 1       /* 11: after a failed write the store is read before the unstored token is shown */
#endif
#ifndef R_ENDED
#define R_ENDED 1      /* 12: the record remembers ended logins; a repeated sign-in looks */
#endif
#ifndef R_REFUSAL
#define R_REFUSAL 1    /* 13: only a refusal ends a login; 0: two lost requests do */
#endif
#ifndef R_MARK
#define R_MARK 1       /* 14: no mark, no request */
#endif
#ifndef R_CLEAR
#define R_CLEAR 1      /* 15: a request that was not sent takes out its own mark only */
#endif
#ifndef R_UNSAVED
#define R_UNSAVED 1    /* 16: what is not stored is not refreshed */
#endif
#ifndef R_KEEP
#define R_KEEP 1       /* 17: the lane is kept while an answer is not stored */
#endif
#ifndef R_GRANTS
#define R_GRANTS 1     /* 18: where a revocation ends every grant, it and the sign-ins go one at a time, and a sign-in drops what is owed */
#endif
#ifndef R_WAIT
#define R_WAIT 1       /* 19: B2 waits as A does */
#endif
#ifndef R_AGAIN
#define R_AGAIN 1      /* 20: the worker marks anew before it sends */
#endif
#ifndef R_OWE
#define R_OWE 1        /* E: a late answer is owed before it is revoked */
#endif
#ifndef R_OWN
#define R_OWN 1        /* E: an entry gives way only to the answer it waits for */
#endif
#ifndef R_LISTED
#define R_LISTED 1     /* 18: what a sign-in dropped from the list, the worker does not put back */
#endif
#ifndef R_FORGET
#define R_FORGET 1     /* 3.1: what the person left through this process, it never shows again, stored or not */
#endif
#ifndef R_WORSE
#define R_WORSE 1      /* 21: a mark says when its request does worse to the token than a refresh, and then everybody waits for it */
#endif
#ifndef R_CARE
#define R_CARE 1       /* 21: and such a request waits for whatever is marked */
#endif
#ifndef R_RENEW
#define R_RENEW 1      /* 23: a mark is renewed for as long as its sender waits */
#endif
#ifndef R_EPOCH
#define R_EPOCH 1      /* a reading is not shown when something newer was shown since */
#endif
#ifndef R_KNOWN
#define R_KNOWN 1      /* 2.3: to the process that made it, a mark under which nothing was sent is no open mark */
#endif
#ifndef R_BEFORE
#define R_BEFORE 1     /* 2.3: it counts there as the mark that was before it; 0: as none, whatever was before */
#endif
#ifndef R_UNSENT
#define R_UNSENT 1     /* 2.3: and only while nothing was sent under it; 0: also when its request has left */
#endif
#ifndef R_HEED
#define R_HEED 1       /* 2: whatever a record is read for, a login that it calls over is shown no more */
#endif
#ifndef R_PAST
#define R_PAST 1       /* 2: nor is it shown again out of a reading that began earlier */
#endif

/* Size and faults: how often each may happen. */
#ifndef NP
#define NP 2           /* processes */
#endif
#ifndef SVC
#define SVC 1
#endif
#ifndef FL
#define FL 2           /* refreshes */
#endif
#ifndef PF
#define PF 0           /* operations of the provider's own (perform), each of which moves the token by two generations */
#endif
#ifndef CR
#define CR 0           /* deaths */
#endif
#ifndef NET
#define NET 0          /* requests or answers lost, revocations failed */
#endif
#ifndef WF
#define WF 0           /* commits failed */
#endif
#ifndef SO
#define SO 0           /* sign-outs */
#endif
#ifndef SI
#define SI 0           /* sign-ins, at most 2 */
#endif
#ifndef SIOVER
#define SIOVER 1       /* over a login that is there */
#endif
#ifndef REV
#define REV 0          /* the family ends at the service */
#endif
#ifndef TCH
#define TCH 0          /* other members of the record change */
#endif
#ifndef TMO
#define TMO 0          /* waits for the lane that end too late */
#endif
#ifndef LL
#define LL 0           /* the lane is lost while its holder lives: a lease */
#endif
#ifndef LATE
#define LATE 0         /* 1: and the holder may stop for longer than a hold-off lasts */
#endif
#ifndef NS
#define NS 0           /* requests that surely did not leave */
#endif
#ifndef RN
#define RN 0           /* renewals of a mark */
#endif
#ifndef LK
#define LK 0           /* looks: the watch tells of a change, the record is read, and shown later */
#endif
#ifndef READS
#define READS 1        /* law 5 is asked of a login whose end was read; 0: only of one that was shown before */
#endif
#ifndef AMB
#define AMB 0          /* 1: a failed commit may have taken effect */
#endif
#ifndef WHIDE
#define WHIDE 0        /* 1: a failed commit may hide a conflict */
#endif
#ifndef GW
#define GW 0           /* 1: revoking one login ends every login of the person at this client */
#endif
#ifndef REVOLD
#define REVOLD 0       /* 1: revoking an old token of the family ends it */
#endif
#ifndef CNT
#define CNT 0          /* 1: requests are counted: one a flight, one of the worker a login and fault */
#endif
#ifndef ABS
#define ABS 1          /* 1: expiry and force are a free choice at the reading (covers both), and steps that commute are joined */
#endif
#ifndef LAWS
#define LAWS 255
#endif
#define GWR (GW && R_GRANTS)
#define BFAST (SVC==2 || (SVC==3 && !R_WAIT))
#define ENDS (SO+SI+!R_CLASSIFY)   /* whether a login may end while an answer is on its way */
#if CNT
#define COUNT nreq++; CHECK(6, nreq <= FL+SO+SI+CR+NET+WF+NS)
#else
#define COUNT skip
#endif
#if PF
/* mw: the record's mark says so; rw: so is the request of this flight; orphw: such a request is on its way, and nobody waits for it */
#define WAYS(t) (((orph[LOG(t)] | orphw[LOG(t)]) >> GEN(t)) & 1)
#define OPENW(p,t) (R_HOLD && ROT && SEEN(p) && (WAYS(t) || BUSYANY(t)))
#define CARE(p) ((R_WORSE && (SEEN(p) & 4) && OPENW(p,cred)) || (R_CARE && rw[p] && OPENW(p,cred)))
#define HASTY(p) (BFAST && !rw[p] && !((orphw[LOG(rt[p])] >> GEN(rt[p])) & 1))
#define MARKS(p) mw = (rw[p] || (rs[p] & 4))
#define RESTORES(p) mw = ((rs[p]>>2) & 1)
#define KIND 4*mw
#define PLAINLY(p) !rw[p]
#define PLAIN(p) rw[p]=0
#define TOLD (mark && mw)
#else
#define WAYS(t) ORPH(t)
#define CARE(p) 0
#define HASTY(p) BFAST
#define MARKS(p) skip
#define RESTORES(p) skip
#define KIND 0
#define PLAINLY(p) 1
#define PLAIN(p) skip
#define TOLD 0
#endif
/* the open mark as p sees it: whose, and 4 for one that does worse. With R_KNOWN out, 8 says that p could know better. */
#define OWN(p) (mark==p+1 && un)
#define OPEN (mark -> mark+KIND : 0)
#if R_KNOWN
#define SEEN(p) (OWN(p) -> un-1 : OPEN)
#else
#define SEEN(p) (OWN(p) -> OPEN+(un==1 -> 8 : 0) : OPEN)
#endif
/* a mark is made before anything is sent: it notes what was there before it */
#define NOTES(p) un = 1+(R_BEFORE -> (rs[p] & 7) : 0)
#define RESTS(p) nb = (BFAST && rs[p] && PLAINLY(p))
/* nobody knows any more what became of the request of p */
#define UNKNOWN(p) if :: pc[p]>=5 && pc[p]<30 && mark && cred==rt[p] -> gs=1 :: else fi
#define UNMARKED mark=0; un=0; gs=0
#define NOMARK UNMARKED; nb=0
/* what the caller is told of a refusal: `interrupted` if a mark was open before, else `refused` */
#define WORD(p) CHECK(6, !gs || rs[p]); CHECK(6, rs[p]<8)
#define CHECK(n,c) if :: (LAWS & (1<<n)) && !(c) -> printf("VIOLATION of law %d\n", n); assert(false) :: else fi

#define REF 1
#define T(l,g) ((l)*8+(g))
#define LOG(t) ((t)>>3)
#define GEN(t) ((t)&7)
#define ROT (SVC!=4)
#define BB (SVC==2||SVC==3)
#define ACC(t) (LOG(t)>0 && alive[LOG(t)] && (SVC==4 || GEN(t)==top[LOG(t)] || (BB && GEN(t)==par[LOG(t)])))
#define EXPD(t) (GEN(t) < expg[LOG(t)])
#define KN(l,t) (LOG(t)==l && ACC(t))
#define KP(l,p) (up[p] && (KN(l,mem[p]) || KN(l,an[p]) || (upc[p]>=11 && KN(l,T(sl[p],0)))))
#if NP==2
#define HAVE(l) (KN(l,cred) || KP(l,0) || KP(l,1))
#define WORKS(l) (WK(l,0) || WK(l,1))
#define INFL(t) (FLY(t,0) || FLY(t,1))
#else
#define HAVE(l) (KN(l,cred) || KP(l,0) || KP(l,1) || KP(l,2))
#define WORKS(l) (WK(l,0) || WK(l,1) || WK(l,2))
#define INFL(t) (FLY(t,0) || FLY(t,1) || FLY(t,2))
#endif
#define SAME(a,b) (SVC==4 -> LOG(a)==LOG(b) : (a)==(b))
#define FLY(t,p) (up[p] && rq[p]==1 && SAME(rt[p],t))
#define ORPH(t) ((orph[LOG(t)] >> GEN(t)) & 1)
/* somebody alive is at work on what is left of login l */
#define WK(l,p) (up[p] && ((pc[p]>=4 && pc[p]<30 && (LOG(rt[p])==l)) || (pc[p]>=31 && wl[p]==l) || (upc[p]>=3 && upc[p]<8 && upc[p]!=6 && LOG(ux[p])==l)))
#define EFF(l) (pend[l]!=0 && ((R_WORKER && pmark[l] && SVC!=5) || ACC(pend[l]) || REVOLD))

byte cred=T(1,0); byte mark=0; bit mark2=0; byte tomb=0;            /* the record: who marked, how often, which logins ended */
byte un=0;                                             /* 1 + the mark before it: who made the mark knows that nothing was sent under it */
bit nb=0;                                              /* the record: not before the request under the earlier mark can no longer arrive */
bit gs=0;                                              /* ghost: a request with the stored token was sent, and its answer is not stored */
byte pend[4]; byte pmark[4];                           /* revocations owed, by login, and whose mark they wait for */
byte ver=1;                                            /* only used when versions may repeat */
byte lane=0; byte glane=0; byte nl=1;                  /* the lane; that of the client; logins made so far */
bit alive[4]; byte top[4]; byte par[4]; byte expg[4]; byte orph[4]; byte wo[4];
bit so[4]; byte taint[4]; byte dur[4];                 /* ghosts: ended locally; obtained after that; was stored */
bit up[NP]; byte mem[NP]; bit nd[NP]; byte pc[NP]; byte rv[NP]; byte rt[NP]; byte an[NP]; bit fo[NP]; byte rs[NP]; byte rq[NP]; byte wl[NP];
byte upc[NP]; byte uv[NP]; byte ut[NP]; byte ux[NP]; byte um[NP]; byte sl[NP]; byte fg[NP];
#if LK
byte lk[NP]; bit le[NP]; byte kn[NP]; byte bLk=LK;
#endif
byte bFl=FL, bCr=CR, bNet=NET, bW=WF, bSo=SO, bSi=SI, bRev=REV, bTch=TCH, bTo=TMO, bLL=LL, bNS=NS;
#if PF
bit mw=0; bit rw[NP]; byte orphw[4]; byte bPf=PF;
#endif
#if RN
byte bRn=RN;
#endif
#if R_RENEW
#define AGED 0
#define YOUNG skip
#else
bit old=0;                                             /* the mark has run out, and its request is under way */
#define AGED old
#define YOUNG old=0
#endif
byte nreq=0; byte l_, g_, i_; bit h_; byte a_;

#define READ(p)  rv[p] = (R_VERSION -> 1 : ver)
#define READU(p) uv[p] = (R_VERSION -> 1 : ver)
#define OK(p)  (R_VERSION -> rv[p]==1 : rv[p]==ver)
#define OKU(p) (R_VERSION -> uv[p]==1 : uv[p]==ver)
inline bump() {                                         /* called after the fields were changed */
  if :: R_VERSION -> i_=0; do :: i_<NP -> rv[i_]=0; uv[i_]=0; i_++ :: else -> break od; i_=0
     :: else -> if :: cred==0 -> ver=0 :: else -> ver++ fi
  fi;
  CHECK(5, cred==0 || !so[LOG(cred)])                   /* nothing brings an ended login back */
}
inline serve(t) {                                       /* answer in a_ */
  l_=LOG(t); g_=GEN(t);
  if
  :: !alive[l_] -> a_=REF
  :: alive[l_] && SVC==4 -> top[l_]++; a_=T(l_,top[l_])
  :: alive[l_] && ROT && g_==top[l_] -> par[l_]=g_; top[l_]++; a_=T(l_,top[l_])
  :: alive[l_] && SVC==2 && g_!=top[l_] && g_==par[l_] -> a_=T(l_,top[l_])
  :: alive[l_] && SVC==3 && g_!=top[l_] && g_==par[l_] -> top[l_]++; a_=T(l_,top[l_])
  :: alive[l_] && SVC==5 && g_!=top[l_] -> a_=REF
  :: else -> h_=HAVE(l_); printf("   service: reuse of %d.%d, family ended\n", l_, g_);
     CHECK(6, so[l_] || !h_); alive[l_]=0; a_=REF
  fi; l_=0; g_=0; h_=0
}
#if PF
inline servew(t) {                                      /* by the access token, which is good as long as the family lives */
  l_=LOG(t);
  if :: !alive[l_] -> a_=REF :: else -> top[l_]=top[l_]+2; par[l_]=top[l_]-1; a_=T(l_,top[l_]) fi; l_=0
}
#define SERVE(p) if :: rw[p] -> servew(rt[p]) :: else -> serve(rt[p]) fi
#else
#define SERVE(p) serve(rt[p])
#endif
inline revoke(t) {
  if :: ACC(t) || (alive[LOG(t)] && REVOLD) -> CHECK(4, so[LOG(t)]); alive[LOG(t)]=0 :: else fi;
  if :: GW && LOG(t)!=2 && alive[2] -> h_=HAVE(2); CHECK(4, so[2] || !h_); h_=0; alive[2]=0 :: else fi;
  if :: GW && LOG(t)!=3 && alive[3] -> h_=HAVE(3); CHECK(4, so[3] || !h_); h_=0; alive[3]=0 :: else fi;
  if :: GW && LOG(t)!=1 && alive[1] -> alive[1]=0 :: else fi
}
#define OVER(t) ((tomb >> LOG(t)) & 1)
#define GONE(p,t) ((fg[p] >> LOG(t)) & 1)
#if LK
#define NEWER(p) le[p]=0
#define KNOWS(p,l) kn[p]=kn[p]|(1<<(l)); NEWER(p)
#define KNOWN(p,t) ((kn[p] >> LOG(t)) & 1)
#define SEESENDS(p) if :: READS -> kn[p]=kn[p]|tomb :: else fi
#else
#define NEWER(p) skip
#define KNOWS(p,l) skip
#define KNOWN(p,t) 0
#define SEESENDS(p) skip
#endif
inline publish(p,t) {                                   /* what callers of p are given from now on */
  if
  :: R_FORGET && GONE(p,t) -> if :: LOG(mem[p])==LOG(t) -> mem[p]=0 :: else fi
  :: else ->
     CHECK(5, !((taint[LOG(t)] >> GEN(t)) & 1));
     CHECK(5, !GONE(p,t));
     CHECK(5, !KNOWN(p,t));
     CHECK(2, nd[p] || ((dur[LOG(t)] >> GEN(t)) & 1));
     mem[p]=t; NEWER(p)
  fi
}
/* whatever the record was read for; r: whether this reading is heeded */
inline heed(p,r) {
  SEESENDS(p); if :: R_PAST -> fg[p]=fg[p]|tomb :: else fi;
  if
  :: (r) && mem[p]!=0 && OVER(mem[p]) && !(pc[p]==10 && LOG(an[p])==LOG(cred)) ->
     if :: pc[p]==10 -> fg[p]=fg[p]|(1<<LOG(an[p])) :: else fi;   /* its answer comes too late */
     nd[p]=0; KNOWS(p,LOG(mem[p]));
     if :: cred==0 -> fg[p]=fg[p]|(1<<LOG(mem[p])); mem[p]=0
        :: cred!=0 && upc[p]==16 -> mem[p]=0
        :: else -> publish(p,cred) fi
  :: else fi;
  CHECK(5, mem[p]==0 || !OVER(mem[p]))
}
inline lost(p) { if :: mem[p]!=0 -> KNOWS(p,LOG(mem[p])) :: else fi; mem[p]=0 }
#define REL(p) PLAIN(p); if :: lane==p+1 -> lane=0 :: else fi; if :: glane==p+1 -> glane=0 :: else fi; pc[p]=0; rt[p]=0; an[p]=0; fo[p]=0; rs[p]=0; wl[p]=0; rv[p]=0
#define UDONE(p) if :: glane==p+1+NP -> glane=0 :: else fi; upc[p]=0; ut[p]=0; ux[p]=0; um[p]=0; uv[p]=0; sl[p]=0

#define BUSY(t,p) (up[p] && SAME(rt[p],t) && (pc[p]==4 || pc[p]==5 || pc[p]==34 || pc[p]==36 || (!LATE && (pc[p]==7 || pc[p]==9 || pc[p]==11 || pc[p]==12))))
#if NP==2
#define BUSYANY(t) (BUSY(t,0) || BUSY(t,1))
#else
#define BUSYANY(t) (BUSY(t,0) || BUSY(t,1) || BUSY(t,2))
#endif
/* hold-off counts from the newest mark: it covers a request still on its way and a live owner between mark and commit (if he is not stopped for longer) */
#define HELD(t) (R_HOLD && ROT && !BFAST && !AGED && (WAYS(t) || BUSYANY(t)))
#define BLOCKED(p) ((SEEN(p) && HELD(cred)) || (BFAST && R_REST && nb && cred!=0 && orph[LOG(cred)]!=0 && !SEEN(p)) || CARE(p))
/* what is owed waits everywhere; a request of a worker that did not mark it anew is not waited for */
#define HELDP(t) (R_HOLD && ROT && ((WAYS(t) && !((wo[LOG(t)] >> GEN(t)) & 1)) || BUSYANY(t)))
#if ABS
#define U(p) (up[p] && ((pc[p]==2 && !BLOCKED(p)) || pc[p]==3 || pc[p]==4 || pc[p]==11 || pc[p]==12 || pc[p]==8 || pc[p]==15 || (pc[p]==33 && !(pmark[wl[p]] && HELDP(pend[wl[p]]))) || upc[p]==1 || upc[p]==2 || upc[p]==11 || upc[p]==12 || (JOIN && (pc[p]==13 || pc[p]==14 || pc[p]==32 || upc[p]==4 || upc[p]==5))))
#ifndef JOIN
#define JOIN 1
#endif
#if NP==2
#define UANY (U(0)||U(1))
#else
#define UANY (U(0)||U(1)||U(2))
#endif
#define ME(p) (up[p] && (!UANY || U(p)))
#define EN (!UANY)
#else
#define ME(p) up[p]
#define EN 1
#endif
inline replace(p) {                                     /* the commit of a sign-in */
  l_=LOG(ux[p]); if :: l_!=0 -> so[l_]=1; tomb=tomb|(1<<l_); if :: R_SIGNIN && !GWR -> pend[l_]=ux[p]; pmark[l_]=um[p] :: else fi :: else fi; l_=0;
  if :: GWR -> pend[1]=0; pmark[1]=0; pend[2]=0; pmark[2]=0 :: else fi;
  cred=T(sl[p],0); NOMARK; bump()
}
proctype P(byte p) {
  do
  /* ---- restore / adopt from the store ---- */
  :: d_step { ME(p) && !ABS && mem[p]==0 && pc[p]==0 && upc[p]==0 && cred!=0 -> printf("P%d reads the store: %d.%d%s\n",p,LOG(cred),GEN(cred)); nd[p]=0; publish(p,cred) }
  /* ---- flight ---- */
#if ABS
  :: d_step { ME(p) && pc[p]==0 && upc[p]!=16 && bFl>0 && lane==0 && (mem[p]!=0 || (cred!=0 && upc[p]==0)) && !GONE(p,(mem[p]!=0 -> mem[p] : cred)) -> bFl--; if :: mem[p]==0 -> publish(p,cred) :: else fi; lane=p+1; pc[p]=2; printf("P%d wants a token, has %d.%d, has the lane\n",p,LOG(mem[p]),GEN(mem[p])) }
#if PF
  :: d_step { ME(p) && pc[p]==0 && upc[p]!=16 && bPf>0 && lane==0 && mem[p]!=0 && !GONE(p,mem[p]) -> bPf--; rw[p]=1; lane=p+1; pc[p]=2; printf("P%d proves a factor, has %d.%d, has the lane\n",p,LOG(mem[p]),GEN(mem[p])) }
#endif
#if TMO
  :: d_step { ME(p) && pc[p]==0 && bFl>0 && lane!=0 && bTo>0 -> bTo--; bFl--; printf("P%d gives up waiting for the lane, re-reads\n",p); heed(p,R_HEED); if :: cred==0 -> lost(p) :: else -> publish(p,cred) fi }
#endif
#else
  :: d_step { ME(p) && pc[p]==0 && mem[p]!=0 && bFl>0 -> bFl--; fo[p]=0; pc[p]=1; printf("P%d wants a token (leeway or expiry), has %d.%d\n",p,LOG(mem[p]),GEN(mem[p])) }
  :: d_step { ME(p) && pc[p]==0 && mem[p]!=0 && bFl>0 -> bFl--; fo[p]=1; pc[p]=1; printf("P%d wants a token newer than %d.%d (forced)\n",p,LOG(mem[p]),GEN(mem[p])) }
  :: d_step { ME(p) && pc[p]==1 && lane==0 -> lane=p+1; pc[p]=2; printf("P%d has the lane\n",p) }
#if TMO
  :: d_step { ME(p) && pc[p]==1 && lane!=0 && bTo>0 -> bTo--; printf("P%d gives up waiting for the lane, re-reads\n",p);
       if :: cred==0 -> lost(p) :: cred!=0 -> publish(p,cred) fi; REL(p) }
#endif
#endif
  :: d_step { ME(p) && pc[p]==2 && (cred==0 || ABS || GONE(p,cred) || LOG(cred)!=LOG(mem[p]) || (cred!=mem[p] && !EXPD(cred)) || (SEEN(p) && !fo[p] && !EXPD(cred) && !BB)) ->
       printf("P%d re-reads, adopts %d.%d, no request\n",p,LOG(cred),GEN(cred)); heed(p,R_HEED);
       if :: cred==0 -> lost(p) :: else -> publish(p,cred) fi; REL(p) }
  :: d_step { ME(p) && pc[p]==2 && !(R_FORGET && GONE(p,cred)) && !(cred==0 || LOG(cred)!=LOG(mem[p]) || (!ABS && ((cred!=mem[p] && !EXPD(cred)) || (SEEN(p) && !fo[p] && !EXPD(cred) && !BB)))) && !BLOCKED(p) ->
       READ(p); rt[p]=cred; rs[p]=SEEN(p); printf("P%d re-reads %d.%d mark=%d, counts as %d, will send it\n",p,LOG(cred),GEN(cred),mark,rs[p]); pc[p]=3 }
  :: d_step { ME(p) && pc[p]==3 && SVC==4 -> pc[p]=4 }
  :: d_step { ME(p) && pc[p]==3 && SVC!=4 && !OK(p) -> printf("P%d mark: conflict\n",p); pc[p]=2; rt[p]=0; rv[p]=0 }
  :: d_step { ME(p) && pc[p]==3 && SVC!=4 && OK(p) -> if :: !R_REFUSAL && rs[p] && mark2 -> CHECK(4, !HAVE(LOG(rt[p]))) :: else fi; if :: !R_REFUSAL -> mark2=(rs[p]!=0) :: else fi; MARKS(p); YOUNG; mark=p+1; RESTS(p); if :: R_UNSENT -> un=0 :: else -> NOTES(p) fi; bump(); READ(p); pc[p]=4; printf("P%d stores the mark\n",p) }
#if WF
  :: d_step { ME(p) && pc[p]==3 && SVC!=4 && bW>0 -> bW--; if :: !R_MARK -> pc[p]=4; printf("P%d mark: write fails, sends all the same\n",p) :: else -> printf("P%d mark: write fails, nothing sent\n",p); REL(p) fi }
#endif
#if WF && AMB
  :: d_step { ME(p) && pc[p]==3 && SVC!=4 && bW>0 && AMB && OK(p) -> bW--; MARKS(p); mark=p+1; RESTS(p); NOTES(p); bump(); printf("P%d mark: write fails but took effect, nothing sent\n",p); REL(p) }
#endif
  :: d_step { ME(p) && pc[p]==4 -> CHECK(1, SVC==4 || HASTY(p) || !(INFL(rt[p]) || WAYS(rt[p]))); COUNT; rq[p]=1; pc[p]=5; printf("P%d sends %d.%d\n",p,LOG(rt[p]),GEN(rt[p])) }
  :: d_step { ME(p) && pc[p]==5 && rq[p]==3 -> rq[p]=0; printf("P%d sees a network failure\n",p); REL(p) }
#if RN
  :: d_step { ME(p) && pc[p]==5 && rq[p]==1 && bRn>0 && mark==p+1 && cred==rt[p] -> bRn--; bump(); READ(p); printf("P%d renews its mark\n",p) }
#if ENDS
  :: d_step { ME(p) && pc[p]==5 && rq[p]==1 && bRn>0 && pend[LOG(rt[p])]==rt[p] && pmark[LOG(rt[p])]==p+1 -> bRn--; bump(); printf("P%d renews its mark where it is owed\n",p) }
#endif
#endif
#if !R_RENEW
  :: d_step { ME(p) && pc[p]==5 && rq[p]==1 && mark==p+1 && !old -> old=1; printf("the mark of P%d runs out\n",p) }
#endif
#if NS
  :: d_step { ME(p) && (pc[p]==5||pc[p]==34) && rq[p]==4 -> rq[p]=0; printf("P%d knows that nothing was sent\n",p);
       if :: pc[p]==5 && mark==p+1 && cred==rt[p] -> if :: R_CLEAR -> mark=(rs[p] & 3); RESTORES(p) :: else -> mark=0 fi; un=0; bump(); printf("P%d takes its mark out, there is %d\n",p,mark) :: else fi; REL(p) }
#endif
#if NS && WF
  :: d_step { ME(p) && pc[p]==5 && rq[p]==4 && mark==p+1 && cred==rt[p] && bW>0 -> bW--; rq[p]=0; NOTES(p); printf("P%d knows that nothing was sent, and cannot take its mark out\n",p); REL(p) }
#endif
#if !R_UNSAVED
  :: d_step { ME(p) && pc[p]==10 && !R_UNSAVED && bFl>0 -> bFl--; serve(an[p]); if :: a_!=REF -> an[p]=a_; publish(p,an[p]) :: else fi; a_=0; printf("P%d refreshes from memory, has %d.%d\n",p,LOG(an[p]),GEN(an[p])) }
#endif
  :: d_step { ME(p) && pc[p]==5 && rq[p]==2 && an[p]==REF -> rq[p]=0; an[p]=0; pc[p]=8; printf("P%d is refused\n",p) }
  :: d_step { ME(p) && pc[p]==5 && rq[p]==2 && an[p]!=REF -> rq[p]=0; pc[p]=7; printf("P%d receives %d.%d\n",p,LOG(an[p]),GEN(an[p]));
       if :: so[LOG(an[p])] -> taint[LOG(an[p])] = taint[LOG(an[p])] | (1<<GEN(an[p])) :: else fi }
  /* commit; 10 = unstored, lane kept */
  :: d_step { ME(p) && (pc[p]==7||pc[p]==10) && OK(p) -> cred=an[p]; UNMARKED; mark2=0; bump(); dur[LOG(cred)]=dur[LOG(cred)]|(1<<GEN(cred)); nd[p]=0;
       printf("P%d stores %d.%d\n",p,LOG(cred),GEN(cred)); publish(p,cred); REL(p) }
#if WF
  :: d_step { ME(p) && pc[p]==7 && OK(p) && bW>0 -> bW--; nd[p]=1; printf("P%d cannot store %d.%d, uses it from memory\n",p,LOG(an[p]),GEN(an[p])); publish(p,an[p]); pc[p]=10 }
#endif
#if WF && AMB
  :: d_step { ME(p) && pc[p]==7 && OK(p) && bW>0 && AMB -> bW--; cred=an[p]; UNMARKED; mark2=0; bump(); dur[LOG(cred)]=dur[LOG(cred)]|(1<<GEN(cred)); nd[p]=1;
       printf("P%d stores %d.%d but is told it failed; uses it from memory\n",p,LOG(an[p]),GEN(an[p])); publish(p,an[p]); pc[p]=10 }
#endif
#if WF && WHIDE
  :: d_step { ME(p) && pc[p]==7 && !OK(p) && WHIDE && bW>0 -> bW--;
       if :: R_READ -> printf("P%d write fails; re-reads\n",p); pc[p]=11
          :: else -> nd[p]=1; printf("P%d write fails (store unreachable), uses %d.%d from memory\n",p,LOG(an[p]),GEN(an[p])); publish(p,an[p]); pc[p]=10 fi }
#endif
  :: d_step { ME(p) && (pc[p]==7||pc[p]==10) && !OK(p) -> printf("P%d commit: conflict\n",p);
       if :: R_CLASSIFY -> pc[p]=11 :: else -> if :: LOG(mem[p])==LOG(an[p]) -> mem[p]=0 :: else fi; nd[p]=0; if :: lane==p+1 -> lane=0 :: else fi; pc[p]=9 fi }
#if !R_KEEP
  :: d_step { ME(p) && pc[p]==10 && !R_KEEP && lane==p+1 -> lane=0; printf("P%d lets the lane go, and %d.%d is not stored\n",p,LOG(an[p]),GEN(an[p])) }
#endif
  /* classify */
  :: d_step { ME(p) && pc[p]==11 -> READ(p); heed(p,R_HEED);
       if
       :: cred==an[p] -> printf("P%d re-reads: its own write is there\n",p); nd[p]=0; publish(p,cred); REL(p)
       :: cred!=an[p] && cred==rt[p] -> printf("P%d re-reads: still %d.%d, rebases\n",p,LOG(cred),GEN(cred)); pc[p]=(nd[p]->10:7)
       :: cred!=an[p] && cred!=rt[p] && LOG(cred)==LOG(an[p]) -> printf("P%d re-reads: adopts %d.%d, drops %d.%d\n",p,LOG(cred),GEN(cred),LOG(an[p]),GEN(an[p]));
            h_=HAVE(LOG(an[p])); l_=LOG(an[p]); an[p]=0; nd[p]=0; mem[p]=0; CHECK(4, !h_ || HAVE(l_)); l_=0; h_=0; publish(p,cred); REL(p)
       :: else -> printf("P%d re-reads: login %d was ended\n",p,LOG(an[p])); if :: LOG(mem[p])==LOG(an[p]) -> mem[p]=0 :: else fi; nd[p]=0; fg[p]=fg[p]|(1<<LOG(an[p])); if :: GWR -> REL(p) :: else -> pc[p]=(R_OWE->12:9) fi
       fi }
#if ENDS
  :: d_step { ME(p) && pc[p]==12 && OK(p) && R_OWN && pend[LOG(an[p])]!=0 && pmark[LOG(an[p])]!=p+1 -> heed(p,R_HEED); pc[p]=9; printf("P%d leaves the entry of another request\n",p) }
  :: d_step { ME(p) && pc[p]==12 && OK(p) && !(R_OWN && pend[LOG(an[p])]!=0 && pmark[LOG(an[p])]!=p+1) -> heed(p,R_HEED); pend[LOG(an[p])]=an[p]; pmark[LOG(an[p])]=0; bump(); pc[p]=9; printf("P%d queues the revocation of %d.%d\n",p,LOG(an[p]),GEN(an[p])) }
  :: d_step { ME(p) && pc[p]==12 && !OK(p) -> pc[p]=11 }
#endif
#if WF && ENDS
  :: d_step { ME(p) && pc[p]==12 && bW>0 -> bW--; pc[p]=9; printf("P%d cannot queue the revocation\n",p) }
#endif
#if ENDS
  :: d_step { ME(p) && pc[p]==9 -> printf("P%d revokes %d.%d\n",p,LOG(an[p]),GEN(an[p])); revoke(an[p]); pc[p]=13 }
  :: d_step { ME(p) && pc[p]==9 && bNet>0 -> bNet--; printf("P%d revocation of %d.%d fails\n",p,LOG(an[p]),GEN(an[p])); pc[p]=14 }
  :: d_step { ME(p) && pc[p]==13 -> heed(p,R_HEED); l_=LOG(an[p]); if :: (R_OWE||R_COMMIT) && pend[l_]!=0 && !(R_OWE && pend[l_]!=an[p]) -> pend[l_]=0; pmark[l_]=0; bump() :: else fi; l_=0; REL(p) }
  :: d_step { ME(p) && pc[p]==14 -> l_=LOG(an[p]); if :: !R_OWE -> pend[l_]=an[p]; pmark[l_]=0; bump(); printf("P%d queues it\n",p) :: else fi; l_=0; REL(p) }
#endif
  /* refused: confirm, then compare-and-delete */
  :: d_step { ME(p) && pc[p]==8 -> READ(p); heed(p,R_HEED);
       if :: cred==0 -> lost(p); printf("P%d re-reads: signed out\n",p); REL(p)
          :: cred==rt[p] -> pc[p]=15
          :: else -> printf("P%d re-reads: adopts %d.%d\n",p,LOG(cred),GEN(cred)); publish(p,cred); REL(p) fi }
  :: d_step { ME(p) && pc[p]==15 && !OK(p) -> pc[p]=8 }
#if WF
  :: d_step { ME(p) && pc[p]==15 && bW>0 -> bW--; mem[p]=0; WORD(p); printf("P%d is refused, and cannot write it down\n",p); REL(p) }
#endif
  :: d_step { ME(p) && pc[p]==15 && OK(p) -> printf("P%d declares %d.%d dead and deletes it\n",p,LOG(cred),GEN(cred)); WORD(p); l_=LOG(cred); CHECK(4, LOG(cred)==LOG(rt[p]) && !HAVE(l_));
       cred=0; NOMARK; tomb=tomb|(1<<l_); bump(); l_=0; mem[p]=0; REL(p) }
  /* ---- queue worker ---- */
  :: d_step { ME(p) && pc[p]==0 && pend[1]!=0 && (!R_WORKER || lane==0) -> wl[p]=1; an[p]=pend[1]; heed(p,1); if :: R_WORKER -> lane=p+1; pc[p]=33 :: else -> pc[p]=31 fi; printf("P%d takes login 1 from the list: %d.%d mark %d\n",p,LOG(an[p]),GEN(an[p]),pmark[1]) }
#if SI>0
  :: d_step { ME(p) && pc[p]==0 && pend[2]!=0 && (!R_WORKER || lane==0) -> wl[p]=2; an[p]=pend[2]; heed(p,1); if :: R_WORKER -> lane=p+1; pc[p]=33 :: else -> pc[p]=31 fi; printf("P%d takes login 2 from the list: %d.%d mark %d\n",p,LOG(an[p]),GEN(an[p]),pmark[2]) }
#endif
#if SI>1
  :: d_step { ME(p) && pc[p]==0 && pend[3]!=0 && (!R_WORKER || lane==0) -> wl[p]=3; an[p]=pend[3]; heed(p,1); if :: R_WORKER -> lane=p+1; pc[p]=33 :: else -> pc[p]=31 fi; printf("P%d takes login 3 from the list: %d.%d mark %d\n",p,LOG(an[p]),GEN(an[p]),pmark[3]) }
#endif
#if ENDS
  :: d_step { ME(p) && pc[p]==33 && pend[wl[p]]==0 -> REL(p) }
#endif
#if WF && ENDS
  :: d_step { ME(p) && pc[p]==33 && pend[wl[p]]!=0 && pmark[wl[p]] && bW>0 -> bW--; printf("P%d worker: cannot mark it\n",p); REL(p) }
#endif
#if ENDS
  :: d_step { ME(p) && pc[p]==33 && pend[wl[p]]!=0 && !pmark[wl[p]] -> an[p]=pend[wl[p]]; pc[p]=31 }
  :: d_step { ME(p) && pc[p]==33 && pend[wl[p]]!=0 && pmark[wl[p]] && !HELDP(pend[wl[p]]) -> heed(p,R_HEED);
       if :: R_AGAIN && ROT -> pmark[wl[p]]=p+1; bump() :: else fi; rt[p]=pend[wl[p]]; an[p]=0; pc[p]=36; printf("P%d worker marks %d.%d anew\n",p,LOG(rt[p]),GEN(rt[p])) }
  :: d_step { ME(p) && pc[p]==36 -> CHECK(1, SVC==4 || HASTY(p) || !(INFL(rt[p]) || WAYS(rt[p]))); COUNT; rq[p]=1; pc[p]=34; printf("P%d worker sends %d.%d again\n",p,LOG(rt[p]),GEN(rt[p])) }
  :: d_step { ME(p) && pc[p]==34 && rq[p]==3 -> rq[p]=0; printf("P%d worker: network failure\n",p); REL(p) }
  :: d_step { ME(p) && pc[p]==34 && rq[p]==2 && an[p]==REF -> rq[p]=0; an[p]=rt[p]; pc[p]=32; printf("P%d worker: refused, family is gone\n",p) }
  :: d_step { ME(p) && pc[p]==34 && rq[p]==2 && an[p]!=REF && R_LISTED && pend[wl[p]]!=rt[p] -> heed(p,R_HEED); rq[p]=0; pc[p]=31; printf("P%d worker: got %d.%d, and it is not on the list any more\n",p,LOG(an[p]),GEN(an[p])) }
  :: d_step { ME(p) && pc[p]==34 && rq[p]==2 && an[p]!=REF && !(R_LISTED && pend[wl[p]]!=rt[p]) -> heed(p,R_HEED); rq[p]=0; pend[wl[p]]=an[p]; pmark[wl[p]]=0; bump(); pc[p]=31; printf("P%d worker: got %d.%d, keeps it in the queue\n",p,LOG(an[p]),GEN(an[p])) }
#endif
#if WF && ENDS
  :: d_step { ME(p) && pc[p]==34 && rq[p]==2 && an[p]!=REF && bW>0 -> bW--; rq[p]=0; pc[p]=31; printf("P%d worker: got %d.%d, cannot store it\n",p,LOG(an[p]),GEN(an[p])) }
#endif
#if ENDS
  :: d_step { ME(p) && pc[p]==31 && !GWR -> printf("P%d worker revokes %d.%d\n",p,LOG(an[p]),GEN(an[p])); revoke(an[p]); pc[p]=32 }
#endif
  :: d_step { ME(p) && pc[p]==31 && GWR && (upc[p]==16 || (upc[p]==11 && glane!=p+1+NP)) -> printf("P%d worker leaves it: a sign-in is not stored\n",p); REL(p) }
#if ENDS
  :: d_step { ME(p) && pc[p]==31 && GWR && glane==0 && upc[p]<11 -> if :: pend[wl[p]]==0 -> REL(p) :: else -> glane=p+1; pc[p]=35 fi }
  :: d_step { ME(p) && pc[p]==35 -> printf("P%d worker revokes %d.%d, and with it every grant\n",p,LOG(an[p]),GEN(an[p])); revoke(an[p]); glane=0; pc[p]=32 }
  :: d_step { ME(p) && pc[p]==31 && bNet>0 -> bNet--; printf("P%d worker: revocation fails\n",p); REL(p) }
  :: d_step { ME(p) && pc[p]==32 -> heed(p,R_HEED); l_=wl[p]; if :: pend[l_]==an[p] || (R_WORKER && rt[p]!=0 && pend[l_]==rt[p]) -> pend[l_]=0; pmark[l_]=0; bump(); printf("P%d removes it from the queue\n",p) :: else fi; l_=0; REL(p) }
#endif
  /* ---- sign-out, own thread, never waits for the lane ---- */
#if SO
  :: d_step { ME(p) && upc[p]==0 && bSo>0 && (mem[p]!=0 || cred!=0) -> bSo--; ut[p]=(mem[p]!=0 -> LOG(mem[p]) : LOG(cred)); mem[p]=0; fg[p]=fg[p]|(1<<ut[p]); NEWER(p); upc[p]=1; printf("P%d signs out login %d\n",p,ut[p]) }
#endif
#if ENDS
  :: d_step { ME(p) && upc[p]==1 -> READU(p); heed(p,R_HEED); ux[p]=cred; um[p]=mark;
       if :: cred==0 || (R_LOGIN && LOG(cred)!=ut[p]) -> printf("P%d sign-out: login %d is not there any more\n",p,ut[p]); if :: LOG(mem[p])==ut[p] -> mem[p]=0 :: else fi; UDONE(p)
          :: else -> upc[p]=2 fi }
  :: d_step { ME(p) && upc[p]==2 && !OKU(p) -> printf("P%d sign-out: conflict\n",p); if :: !R_REPEAT -> CHECK(5, LOG(cred)!=ut[p]); UDONE(p) :: else -> upc[p]=1 fi }
#endif
#if WF && ENDS
  :: d_step { ME(p) && upc[p]==2 && bW>0 -> bW--; upc[p]=6; printf("P%d sign-out: write fails, tries again\n",p) }
#endif
#if WF && AMB && ENDS
  :: d_step { ME(p) && upc[p]==2 && bW>0 && AMB && OKU(p) -> bW--; l_=LOG(cred); CHECK(4, l_==ut[p] || !HAVE(l_)); so[l_]=1; tomb=tomb|(1<<l_); cred=0; NOMARK;
       if :: R_COMMIT -> pend[l_]=ux[p]; pmark[l_]=um[p] :: else fi; bump(); l_=0; upc[p]=6; printf("P%d sign-out: deleted, but is told it failed\n",p) }
#endif
#if ENDS
  :: d_step { ME(p) && upc[p]==2 && OKU(p) -> l_=LOG(cred); CHECK(4, l_==ut[p] || !HAVE(l_)); so[l_]=1; tomb=tomb|(1<<l_); cred=0; NOMARK;
       if :: R_COMMIT -> pend[l_]=ux[p]; pmark[l_]=um[p] :: else fi; bump(); if :: LOG(mem[p])==l_ -> mem[p]=0 :: else fi; l_=0;
       printf("P%d sign-out: deleted %d.%d mark=%d\n",p,LOG(ux[p]),GEN(ux[p]),um[p]);
       if :: R_WORKER && um[p] -> UDONE(p) :: else -> upc[p]=3 fi }
  :: d_step { ME(p) && upc[p]==3 && GWR && (glane!=0 || pend[LOG(ux[p])]==0) -> printf("P%d sign-out: left to the worker\n",p); UDONE(p) }
  :: d_step { ME(p) && upc[p]==3 && GWR && glane==0 && pend[LOG(ux[p])]!=0 -> glane=p+1+NP; upc[p]=7 }
  :: d_step { ME(p) && upc[p]==7 -> printf("P%d sign-out: revokes %d.%d, and with it every grant\n",p,LOG(ux[p]),GEN(ux[p])); revoke(ux[p]); glane=0; upc[p]=4 }
  :: d_step { ME(p) && upc[p]==3 && !GWR -> printf("P%d sign-out: revokes %d.%d\n",p,LOG(ux[p]),GEN(ux[p])); revoke(ux[p]); upc[p]=4 }
  :: d_step { ME(p) && upc[p]==3 && bNet>0 -> bNet--; printf("P%d sign-out: revocation fails\n",p); upc[p]=5 }
  :: d_step { ME(p) && upc[p]==4 -> heed(p,R_HEED); l_=LOG(ux[p]); if :: R_COMMIT && pend[l_]==ux[p] -> pend[l_]=0; pmark[l_]=0; bump() :: else fi; l_=0; UDONE(p) }
#endif
  :: d_step { ME(p) && upc[p]==5 -> l_=LOG(ux[p]); if :: !R_COMMIT -> pend[l_]=ux[p]; pmark[l_]=0; printf("P%d sign-out: queued\n",p) :: else fi; l_=0; UDONE(p) }
#if ENDS
  :: d_step { ME(p) && upc[p]==6 -> upc[p]=1 }
#endif
  /* ---- sign-in: 11 read, 12 commit, 16 not stored: shown as such, and tried again ---- */
#if SI
  :: d_step { ME(p) && upc[p]==16 -> upc[p]=11 }
#endif
#if SO && SI
  :: d_step { ME(p) && upc[p]==16 && bSo>0 -> bSo--; fg[p]=fg[p]|(1<<sl[p]); if :: LOG(mem[p])==sl[p] -> mem[p]=0 :: else fi; upc[p]=17; printf("P%d signs out of what is not stored\n",p) }
#endif
#if SI
  :: d_step { ME(p) && upc[p]==17 -> heed(p,R_HEED); if :: LOG(cred)==sl[p] -> ut[p]=sl[p]; sl[p]=0; upc[p]=1 :: LOG(cred)!=sl[p] && !((tomb>>sl[p])&1) && !GWR -> so[sl[p]]=1; revoke(T(sl[p],0)); UDONE(p) :: else -> UDONE(p) fi }
  :: d_step { ME(p) && upc[p]==0 && bSi>0 && (SIOVER || cred==0) && (!GWR || glane==0) -> bSi--; if :: GWR -> glane=p+1+NP :: else fi; nl++; sl[p]=nl; alive[nl]=1; upc[p]=11; ut[p]=0; printf("P%d signs in: service issues %d.0\n",p,nl) }
  :: d_step { ME(p) && upc[p]==11 && LOG(cred)==sl[p] -> heed(p,R_HEED); printf("P%d sign-in: already stored\n",p); if :: pc[p]!=10 -> nd[p]=0 :: else fi; publish(p,cred); UDONE(p) }
  :: d_step { ME(p) && upc[p]==11 && R_ENDED && ((tomb>>sl[p])&1) -> heed(p,R_HEED); printf("P%d sign-in: was signed out meanwhile\n",p); if :: LOG(mem[p])==sl[p] -> mem[p]=0 :: else fi; UDONE(p) }
  :: d_step { ME(p) && upc[p]==11 && LOG(cred)!=sl[p] && !(R_ENDED && ((tomb>>sl[p])&1)) -> READU(p); heed(p,R_HEED); ux[p]=cred; um[p]=mark; upc[p]=12 }
#endif
#if ENDS && SI
  :: d_step { ME(p) && upc[p]==12 && !OKU(p) -> upc[p]=11 }
#endif
#if WF && ENDS && SI
  :: d_step { ME(p) && upc[p]==12 && bW>0 -> bW--; if :: glane==p+1+NP -> glane=0 :: else fi; mem[p]=0; upc[p]=16; printf("P%d sign-in: write fails, tries again\n",p) }
#endif
#if ENDS && SI
  :: d_step { ME(p) && upc[p]==12 && OKU(p) -> replace(p); dur[sl[p]]=1; printf("P%d sign-in: %d.0 stored over %d.%d mark=%d\n",p,sl[p],LOG(ux[p]),GEN(ux[p]),um[p]);
       if :: pc[p]!=10 -> nd[p]=0 :: else fi; publish(p,cred); UDONE(p) }
#endif
#if WF && AMB && ENDS && SI
  :: d_step { ME(p) && upc[p]==12 && OKU(p) && bW>0 && AMB -> bW--; replace(p); dur[sl[p]]=1; if :: glane==p+1+NP -> glane=0 :: else fi; printf("P%d sign-in: %d.0 stored, but is told it failed\n",p,sl[p]); mem[p]=0; upc[p]=16 }
#endif
#if LK
  /* ---- the watch: read, and shown a step later ---- */
  :: d_step { ME(p) && lk[p]==0 && bLk>0 && cred!=0 -> bLk--; heed(p,R_HEED); lk[p]=cred; le[p]=1; printf("P%d looks: %d.%d\n",p,LOG(cred),GEN(cred)) }
  :: d_step { ME(p) && lk[p]!=0 -> l_=lk[p]; lk[p]=0; if :: (le[p] || !R_EPOCH) && pc[p]!=10 && upc[p]!=16 && ((dur[LOG(l_)]>>GEN(l_))&1) -> printf("P%d shows %d.%d\n",p,LOG(l_),GEN(l_)); publish(p,l_) :: else fi; l_=0 }
  :: d_step { ME(p) && bLk>0 && cred==0 && mem[p]!=0 && !nd[p] -> bLk--; printf("P%d looks: nobody is signed in\n",p); heed(p,R_HEED); lost(p) }
#endif
  od
}

#if LK
#define UNLOOK(p) lk[p]=0; le[p]=0; kn[p]=0
#else
#define UNLOOK(p) skip
#endif
#define DIES(p) UNKNOWN(p); if :: mark==p+1 -> un=0 :: else fi
#define CRASH(p) d_step { EN && up[p] && bCr>0 -> bCr--; printf("P%d CRASHES\n",p); DIES(p); up[p]=0; mem[p]=0; nd[p]=0; rq[p]=0; fg[p]=0; UNLOOK(p); REL(p); UDONE(p) }
/* a worker's request that no mark speaks of */
#define STRAY(p) if :: pc[p]==34 && !R_AGAIN -> wo[LOG(rt[p])]=wo[LOG(rt[p])]|(1<<GEN(rt[p])) :: else fi; ORPHAN(p)
#if PF
#define ORPHAN(p) if :: rw[p] -> orphw[LOG(rt[p])]=orphw[LOG(rt[p])]|(1<<GEN(rt[p])) :: else -> orph[LOG(rt[p])]=orph[LOG(rt[p])]|(1<<GEN(rt[p])) fi
#else
#define ORPHAN(p) orph[LOG(rt[p])]=orph[LOG(rt[p])]|(1<<GEN(rt[p]))
#endif
#define CRASHO(p) d_step { EN && up[p] && bCr>0 && rq[p]==1 -> bCr--; printf("P%d CRASHES, its request goes on\n",p); STRAY(p); DIES(p); up[p]=0; mem[p]=0; nd[p]=0; rq[p]=0; fg[p]=0; UNLOOK(p); REL(p); UDONE(p) }
#define ENV(p) \
  :: d_step { EN && up[p] && rq[p]==1 -> SERVE(p); an[p]=a_; rq[p]=2; printf("   service handles request(%d.%d) of P%d -> %d.%d\n",LOG(rt[p]),GEN(rt[p]),p,LOG(a_),GEN(a_)); a_=0 } \
  :: d_step { EN && up[p] && rq[p]==1 && bNet>0 -> bNet--; rq[p]=3; UNKNOWN(p); printf("   request of P%d is lost\n",p) } \
  :: d_step { EN && up[p] && rq[p]==1 && bNet>0 -> bNet--; rq[p]=3; STRAY(p); UNKNOWN(p); printf("   P%d times out, its request is still on its way\n",p) } \
  :: d_step { EN && up[p] && rq[p]==2 && bNet>0 -> bNet--; rq[p]=3; an[p]=0; UNKNOWN(p); printf("   answer to P%d is lost\n",p) } \
  :: CRASH(p) \
  :: CRASHO(p) \
  :: d_step { EN && !up[p] -> up[p]=1; printf("P%d starts again\n",p) } \
  :: d_step { EN && bLL>0 && lane==p+1 && up[p] -> bLL--; lane=0; printf("P%d loses the lane, lives on\n",p) }
#define ORPHEV(l,g) \
  :: d_step { EN && (orph[l]>>g)&1 -> orph[l]=orph[l]&(255-(1<<g)); wo[l]=wo[l]&(255-(1<<g)); printf("   late request %d.%d reaches the service\n",l,g); serve(T(l,g)); a_=0 } \
  :: d_step { EN && (orph[l]>>g)&1 -> orph[l]=orph[l]&(255-(1<<g)); wo[l]=wo[l]&(255-(1<<g)); printf("   late request %d.%d is lost\n",l,g) }
#define ORPHEVW(l,g) \
  :: d_step { EN && (orphw[l]>>g)&1 -> orphw[l]=orphw[l]&(255-(1<<g)); printf("   late proof %d.%d reaches the service\n",l,g); servew(T(l,g)); a_=0 } \
  :: d_step { EN && (orphw[l]>>g)&1 -> orphw[l]=orphw[l]&(255-(1<<g)); printf("   late proof %d.%d is lost\n",l,g) }

active proctype Env() {
  d_step { alive[1]=1; par[1]=7; par[2]=7; par[3]=7; dur[1]=1; i_=0; do :: i_<NP -> up[i_]=1; mem[i_]=(ABS->T(1,0):0); i_++ :: else -> break od; i_=0 }
  run P(0); run P(1);
#if NP==3
  run P(2);
#endif
  do
  ENV(0)
  ENV(1)
#if NP==3
  ENV(2)
#endif
#if NET+CR
  ORPHEV(1,0)
  ORPHEV(1,1)
  ORPHEV(1,2)
#if PF
  ORPHEV(1,3)
  ORPHEV(1,4)
  ORPHEVW(1,0)
  ORPHEVW(1,1)
  ORPHEVW(1,2)
  ORPHEVW(1,3)
#if SI
  ORPHEVW(2,0)
  ORPHEVW(2,1)
#endif
#endif
#if SI
  ORPHEV(2,0)
  ORPHEV(2,1)
#endif
#if SI>1
  ORPHEV(3,0)
  ORPHEV(3,1)
#endif
#endif
  :: d_step { EN && !ABS && cred!=0 && !EXPD(cred) -> expg[LOG(cred)]=GEN(cred)+1; printf("   access token %d.%d expires\n",LOG(cred),GEN(cred)) }
#if REV
  :: d_step { EN && bRev>0 && alive[1] -> bRev--; alive[1]=0; printf("   login 1 is revoked elsewhere\n") }
#endif
#if TCH
  :: d_step { EN && bTch>0 && cred!=0 -> bTch--; bump(); printf("   another process writes the record (other fields)\n") }
#endif
  :: d_step { EN && (LAWS&64) && BB && cred!=0 && alive[LOG(cred)] && !ACC(cred) && !TOLD -> printf("VIOLATION of law 6 (the stored token is more than one generation old)\n"); assert(false) }
#if NS
  :: d_step { EN && bNS>0 && up[0] && rq[0]==1 -> bNS--; rq[0]=4; printf("   connection of P0 refused\n") }
  :: d_step { EN && bNS>0 && up[1] && rq[1]==1 -> bNS--; rq[1]=4; printf("   connection of P1 refused\n") }
#if NP==3
  :: d_step { EN && bNS>0 && up[2] && rq[2]==1 -> bNS--; rq[2]=4; printf("   connection of P2 refused\n") }
#endif
#endif
  :: d_step { EN && (LAWS&128) && ((so[1] && alive[1] && !EFF(1) && !WORKS(1) && !(GWR && dur[2]!=0)) || (so[2] && alive[2] && !EFF(2) && !WORKS(2) && !(GWR && dur[3]!=0)) || (SI>1 && so[3] && alive[3] && !EFF(3) && !WORKS(3))) -> printf("VIOLATION of law 5 (a live family nobody will revoke)\n"); assert(false) }
  od
}
