/* A minting service (kind D): short tokens are minted under a client token that any answer may replace. Documentation/Internals/Lane.md,
   section 6; README.md says which function does which step. Client token = login*8 + generation. Rules as in lane.pml.          */
#ifndef R_READ
#define R_READ 1       /* D1: what was minted is handed out only if a reading shows its login still there */
#endif
#ifndef R_ALONE
#define R_ALONE 1      /* D2, D4: one mint at a time, its answer stored or dropped before the next begins */
#endif
#ifndef R_INLANE
#define R_INLANE 1     /* D11: a refusal beside others is asked about in the lane, where nobody is about to store another token */
#endif
#ifndef R_ASK
#define R_ASK 1        /* 6.4: a refusal is asked about once more */
#endif
#ifndef R_EMPTY
#define R_EMPTY 1      /* D3: an answer without a session is never stored, and ends nothing */
#endif
#ifndef R_CLASSIFY
#define R_CLASSIFY 1   /* D5: a lost commit is understood by reading */
#endif
#ifndef R_COMMIT
#define R_COMMIT 1     /* 8, 10: the credential goes and is owed in one commit */
#endif
#ifndef R_OWE
#define R_OWE 1        /* E: a late client token is owed before it is revoked */
#endif
#ifndef R_ENDED
#define R_ENDED 1      /* 12: a repeated sign-in looks whether it was signed out */
#endif
#ifndef R_CARRY
#define R_CARRY 1      /* D6: a client token that comes with an answer that is none is stored */
#endif
#ifndef R_LATE
#define R_LATE 1       /* D6, E: if the login has ended meanwhile, it is owed before it is revoked */
#endif
#ifndef R_PLACE
#define R_PLACE 1      /* D7: in place of the one that was sent, and of no other */
#endif
#ifndef R_KEEP
#define R_KEEP 1       /* D12: where several people share the token, the lane is kept until the store takes the new one */
#endif
#ifndef R_TURN
#define R_TURN 1       /* D13: a token that a mint beside others brings is stored in the lane */
#endif

#ifndef NP
#define NP 2
#endif
#ifndef STALE
#define STALE 2        /* a replaced client token: 1 stays good, 2 is refused, 3 is answered 200 without a session, 4 is good for one generation, and a second answer to it supersedes the first */
#endif
#ifndef BESIDE
#define BESIDE 0       /* 1: tokens are minted beside others too, without the lane, and their answers replace nothing */
#endif
#ifndef FL
#define FL 2
#endif
#ifndef CR
#define CR 0
#endif
#ifndef NET
#define NET 0
#endif
#ifndef SO
#define SO 1
#endif
#ifndef SI
#define SI 0           /* sign-ins of a second login, at most 1 */
#endif
#ifndef RPL
#define RPL 2          /* answers that replace the client token */
#endif
#ifndef CAR
#define CAR 0          /* those that bring it with an error or a question, or with a mint beside others (STALE 4 only) */
#endif
#ifndef EM
#define EM 0           /* answers without a session to a good token */
#endif
#ifndef TCH
#define TCH 0
#endif
#ifndef REV
#define REV 0
#endif
#ifndef WF
#define WF 0
#endif
#ifndef AMB
#define AMB 0          /* 1: a failed commit may have taken effect */
#endif
#ifndef TMO
#define TMO 0          /* waits for the lane that end too late: read, and neither request nor write */
#endif
#ifndef LAWS
#define LAWS 255
#endif
#define CHECK(n,c) if :: (LAWS & (1<<n)) && !(c) -> printf("VIOLATION of law %d\n", n); assert(false) :: else fi
#define REF 1
#define OKA 2
#define EMPTY 3
#define T(l,g) ((l)*8+(g))
#define LOG(t) ((t)>>3)
#define ACC(t) ((t)>=8 && alive[LOG(t)] && (STALE==1 || (t)==top[LOG(t)] || (STALE==4 && (t)==par[LOG(t)])))
#define KN(l,t) (LOG(t)==l && ACC(t))
#define KP(l,p) (up[p] && (KN(l,an[p]) || (upc[p]>=11 && l==2 && KN(2,T(2,0)))))
#define WK(l,p) (up[p] && ((pc[p]>0 && (LOG(rt[p])==l || LOG(an[p])==l)) || (upc[p]>0 && LOG(ux[p])==l)))
#if NP==2
#define HAVE(l) (KN(l,cred) || KP(l,0) || KP(l,1))
#define WORKS(l) (WK(l,0) || WK(l,1))
#else
#define HAVE(l) (KN(l,cred) || KP(l,0) || KP(l,1) || KP(l,2))
#define WORKS(l) (WK(l,0) || WK(l,1) || WK(l,2))
#endif
byte cred=T(1,0), tomb=0, lane=0; byte pend[3];                      /* the record: token, ended logins, what is owed */
byte top[3], par[3]; bit alive[3], so[3];
bit up[NP]; byte pc[NP], rt[NP], an[NP], rq[NP]; bit rv[NP], tn[NP], nd[NP], bs[NP]; byte upc[NP], ux[NP]; bit uv[NP];
byte bFl=FL,bCr=CR,bNet=NET,bSo=SO,bSi=SI,bRpl=RPL,bTch=TCH,bRev=REV,bW=WF,bTo=TMO, bEm=EM, bCar=CAR; byte orph=0; byte i_, l_; bit h_;
inline bump() { i_=0; do :: i_<NP -> rv[i_]=0; uv[i_]=0; i_++ :: else -> break od; i_=0; CHECK(5, cred==0 || cred==EMPTY || !so[LOG(cred)]) }
inline revoke(t) { if :: ACC(t) -> CHECK(4, so[LOG(t)]); alive[LOG(t)]=0 :: else fi }
#define HAND(p) CHECK(5, !tn[p]); printf("P%d hands out a token\n",p)
#define REL(p) if :: lane==p+1 -> lane=0 :: else fi; pc[p]=0; rt[p]=0; an[p]=0; rv[p]=0; tn[p]=0; nd[p]=0; bs[p]=0
#define UDONE(p) upc[p]=0; ux[p]=0; uv[p]=0
#define ANSWER(p,v) an[p]=v; rq[p]=2; printf("   service answers P%d: %d (1 refused, 2 access token, 3 no session, else also a client token)\n",p,v)
#define SWAP(p) pend[LOG(ux[p])]=(R_COMMIT -> ux[p] : 0); so[LOG(ux[p])]=1; tomb=tomb|(1<<LOG(ux[p]))
#define LETGO(p) l_=LOG(an[p]); h_=HAVE(l_); printf("P%d lets %d go\n",p,an[p]); an[p]=0; CHECK(4, !h_ || HAVE(l_)); h_=0; l_=0
#define MINTED(p) if :: bs[p] && (!R_READ || LOG(cred)==LOG(rt[p])) -> HAND(p) :: else fi
proctype P(byte p) {
  do
  :: d_step { up[p] && pc[p]==0 && bFl>0 && cred!=0 && upc[p]!=13 && (!R_ALONE || lane==0) -> bFl--; if :: R_ALONE -> lane=p+1 :: else fi;
       rt[p]=cred; rv[p]=1; rq[p]=1; pc[p]=1; printf("P%d reads %d, sends a mint\n",p,cred) }
  :: d_step { BESIDE && up[p] && pc[p]==0 && bFl>0 && cred!=0 && upc[p]!=13 -> bFl--; bs[p]=1; rt[p]=cred; rv[p]=1; rq[p]=1; pc[p]=1; printf("P%d reads %d, mints beside\n",p,cred) }
  :: d_step { up[p] && pc[p]==9 && lane==0 -> lane=p+1; bs[p]=0; an[p]=0; printf("P%d takes the lane, reads %d\n",p,cred); if :: cred==0 -> REL(p) :: cred!=0 && cred==rt[p] -> rv[p]=1; rq[p]=1; pc[p]=6 :: else -> rt[p]=cred; rv[p]=1; rq[p]=1; pc[p]=1 fi }
  :: d_step { up[p] && pc[p]==0 && bFl>0 && bTo>0 && lane!=0 -> bFl--; bTo--; printf("P%d waits in vain for the lane\n",p) }
  :: d_step { up[p] && (pc[p]==1||pc[p]==6) && rq[p]==3 -> rq[p]=0; printf("P%d network failure\n",p); REL(p) }
  :: d_step { up[p] && (pc[p]==1||pc[p]==6) && rq[p]==2 -> rq[p]=0; tn[p]=so[LOG(rt[p])]; pc[p]=(((an[p]==REF)||(an[p]==EMPTY && R_EMPTY)) -> (bs[p] && R_INLANE -> 9 : (pc[p]==1 && R_ASK ->4:7)) : 2); printf("P%d receives it\n",p) }
  /* an access token */
  :: d_step { up[p] && pc[p]==2 && an[p]==OKA -> if :: R_READ && LOG(cred)!=LOG(rt[p]) -> printf("P%d re-reads: signed out, drops the token\n",p) :: else -> HAND(p) fi; REL(p) }
  :: d_step { up[p] && pc[p]==2 && an[p]==EMPTY -> if :: rv[p] -> l_=LOG(cred); h_=HAVE(l_); cred=EMPTY; CHECK(4, !h_ || HAVE(l_)); h_=0; l_=0; bump(); printf("P%d stores no session\n",p) :: else fi; REL(p) }
  /* a client token: commit; 8 = not stored, lane kept */
  :: d_step { up[p] && pc[p]==2 && an[p]>=8 && rv[p] -> cred=an[p]; bump(); printf("P%d stores %d\n",p,an[p]); HAND(p); REL(p) }
  :: d_step { up[p] && pc[p]==2 && an[p]>=8 && rv[p] && bW>0 -> bW--; printf("P%d cannot store %d, keeps it and its lane\n",p,an[p]); nd[p]=1; HAND(p); pc[p]=8 }
  :: d_step { up[p] && pc[p]==2 && an[p]>=8 && rv[p] && bW>0 && AMB -> bW--; cred=an[p]; bump(); printf("P%d stores %d, but is told it failed\n",p,an[p]); nd[p]=1; pc[p]=8 }
  :: d_step { up[p] && pc[p]==8 && rv[p] -> cred=an[p]; bump(); printf("P%d stores %d\n",p,an[p]); REL(p) }
  :: d_step { up[p] && ((pc[p]==2 && an[p]>=8)||pc[p]==8) && !rv[p] -> printf("P%d conflict\n",p);
       if
       :: cred==an[p] -> if :: pc[p]==2 -> HAND(p) :: else fi; REL(p)
       :: cred!=an[p] && LOG(cred)!=LOG(an[p]) -> tn[p]=0; if :: R_OWE -> pend[LOG(an[p])]=an[p]; bump(); printf("P%d owes %d\n",p,an[p]) :: else fi; pc[p]=3
       :: cred!=an[p] && LOG(cred)==LOG(an[p]) && R_CLASSIFY && cred==rt[p] -> rv[p]=1
       :: else -> l_=LOG(an[p]); h_=HAVE(l_); printf("P%d adopts %d, drops %d\n",p,cred,an[p]); an[p]=0; CHECK(4, !h_ || HAVE(l_)); h_=0; l_=0; if :: pc[p]==2 -> HAND(p) :: else fi; REL(p)
       fi }
  /* a client token that came with an error or a question, or with a mint beside others: 5 waits for the lane, 10 commits */
#if CAR
  :: d_step { up[p] && (pc[p]==1||pc[p]==6) && rq[p]==4 -> rq[p]=0; tn[p]=so[LOG(rt[p])]; printf("P%d receives it\n",p); if :: !R_CARRY -> LETGO(p); REL(p) :: else -> pc[p]=(bs[p] && R_TURN -> 5 : 10) fi }
  :: d_step { up[p] && pc[p]==5 && lane==0 -> lane=p+1; rv[p]=0; pc[p]=10; printf("P%d takes the lane\n",p) }
  :: d_step { up[p] && pc[p]==10 && rv[p] -> l_=LOG(an[p]); h_=(cred!=rt[p] && HAVE(l_)); cred=an[p]; an[p]=0; CHECK(4, !h_ || HAVE(l_)); h_=0; l_=0; bump(); printf("P%d stores %d\n",p,cred); MINTED(p); REL(p) }
  :: d_step { up[p] && pc[p]==10 && !rv[p] ->
       if
       :: cred==an[p] -> printf("P%d re-reads: it is stored\n",p); MINTED(p); REL(p)
       :: cred!=an[p] && (cred==rt[p] || (!R_PLACE && LOG(cred)==LOG(an[p]))) -> rv[p]=1; printf("P%d re-reads %d\n",p,cred)
       :: cred!=an[p] && LOG(cred)!=LOG(an[p]) && !BESIDE && R_LATE -> tn[p]=0; pend[LOG(an[p])]=an[p]; bump(); printf("P%d re-reads: signed out, owes %d\n",p,an[p]); pc[p]=3
       :: else -> if :: LOG(cred)==LOG(an[p]) -> LETGO(p)
             :: LOG(cred)!=LOG(an[p]) && BESIDE && pend[LOG(an[p])]==rt[p] -> pend[LOG(an[p])]=an[p]; bump(); printf("P%d re-reads: signed out, owes %d\n",p,an[p])
             :: else -> printf("P%d re-reads: signed out, drops %d\n",p,an[p]) fi; MINTED(p); REL(p)
       fi }
  :: d_step { up[p] && pc[p]==10 && rv[p] && bW>0 -> bW--; if :: BESIDE -> printf("P%d cannot store %d, tries again\n",p,an[p]); if :: !R_KEEP && lane==p+1 -> lane=0 :: else fi :: else -> printf("P%d cannot store %d, lets it go\n",p,an[p]); REL(p) fi }
  :: d_step { up[p] && pc[p]==10 && rv[p] && bW>0 && AMB -> bW--; cred=an[p]; bump(); printf("P%d stores %d, but is told it failed\n",p,an[p]) }
#endif
  /* E */
  :: d_step { up[p] && pc[p]==3 -> printf("P%d revokes %d\n",p,an[p]); revoke(an[p]); if :: pend[LOG(an[p])]==an[p] -> pend[LOG(an[p])]=0; bump() :: else fi; REL(p) }
  :: d_step { up[p] && pc[p]==3 && bNet>0 -> bNet--; printf("P%d revocation fails\n",p); REL(p) }
  /* refused, or no session: unchanged in the store, ask once more; then R */
  :: d_step { up[p] && pc[p]==4 -> if :: cred==rt[p] -> rv[p]=1; an[p]=0; rq[p]=1; pc[p]=6; printf("P%d still reads %d, asks once more\n",p,cred) :: else -> printf("P%d adopts what is there\n",p); REL(p) fi }
  :: d_step { up[p] && pc[p]==7 && an[p]==EMPTY -> printf("P%d has no session, and ends none\n",p); REL(p) }
  :: d_step { up[p] && pc[p]==7 && an[p]==REF -> if :: cred==rt[p] -> printf("P%d declares %d dead\n",p,cred); an[p]=0; l_=LOG(cred); CHECK(4, !HAVE(l_)); tomb=tomb|(1<<l_); l_=0; cred=0; bump() :: else fi; REL(p) }
  /* sign-out */
  :: d_step { up[p] && upc[p]==0 && bSo>0 && cred>=8 -> bSo--; ux[p]=cred; SWAP(p); cred=0; bump(); upc[p]=1; printf("P%d signs out %d\n",p,ux[p]) }
  :: d_step { up[p] && upc[p]==1 -> printf("P%d sign-out revokes %d\n",p,ux[p]); revoke(ux[p]); if :: pend[LOG(ux[p])]==ux[p] -> pend[LOG(ux[p])]=0; bump() :: else fi; UDONE(p) }
  :: d_step { up[p] && upc[p]==1 && bNet>0 -> bNet--; if :: !R_COMMIT -> pend[LOG(ux[p])]=ux[p] :: else fi; printf("P%d sign-out: revocation fails\n",p); UDONE(p) }
  /* sign-in of login 2; 13 = not stored, tried again */
  :: d_step { up[p] && upc[p]==0 && bSi>0 -> bSi--; alive[2]=1; upc[p]=11; printf("P%d signs in: 16\n",p) }
  :: d_step { up[p] && upc[p]==11 && LOG(cred)==2 -> UDONE(p) }
  :: d_step { up[p] && upc[p]==11 && LOG(cred)!=2 && R_ENDED && ((tomb>>2)&1) -> printf("P%d sign-in: signed out meanwhile\n",p); UDONE(p) }
  :: d_step { up[p] && upc[p]==11 && LOG(cred)!=2 && !(R_ENDED && ((tomb>>2)&1)) -> ux[p]=(cred>=8 -> cred : 0); uv[p]=1; upc[p]=12 }
  :: d_step { up[p] && upc[p]==12 && !uv[p] -> ux[p]=0; upc[p]=11 }
  :: d_step { up[p] && upc[p]==12 && uv[p] -> if :: ux[p]!=0 -> SWAP(p) :: else fi; cred=T(2,0); bump(); printf("P%d sign-in: stored over %d\n",p,ux[p]); UDONE(p) }
  :: d_step { up[p] && upc[p]==12 && uv[p] && bW>0 -> bW--; ux[p]=0; upc[p]=13; printf("P%d sign-in: write fails\n",p) }
  :: d_step { up[p] && upc[p]==12 && uv[p] && bW>0 && AMB -> bW--; if :: ux[p]!=0 -> SWAP(p) :: else fi; cred=T(2,0); bump(); ux[p]=0; upc[p]=13; printf("P%d sign-in: stored, but is told it failed\n",p) }
  :: d_step { up[p] && upc[p]==13 -> upc[p]=11 }
  /* worker */
  :: d_step { up[p] && pc[p]==0 && pend[1]!=0 && lane==0 -> printf("P%d worker revokes %d\n",p,pend[1]); revoke(pend[1]); pend[1]=0; bump() }
  :: d_step { up[p] && pc[p]==0 && pend[2]!=0 && lane==0 -> printf("P%d worker revokes %d\n",p,pend[2]); revoke(pend[2]); pend[2]=0; bump() }
  od
}
#define MOVE(t) if :: t==top[LOG(t)] || STALE==1 -> par[LOG(t)]=t :: else fi; top[LOG(t)]++
#define ENV(p) \
  :: d_step { up[p] && rq[p]==1 && ACC(rt[p]) -> ANSWER(p,OKA) } \
  :: d_step { up[p] && rq[p]==1 && ACC(rt[p]) && bEm>0 -> bEm--; ANSWER(p,EMPTY) } \
  :: d_step { up[p] && rq[p]==1 && !bs[p] && ACC(rt[p]) && bRpl>0 -> bRpl--; MOVE(rt[p]); ANSWER(p,top[LOG(rt[p])]) } \
  :: d_step { up[p] && rq[p]==1 && bCar>0 && bRpl>0 && ACC(rt[p]) && (!bs[p] || (STALE==4 && rt[p]==top[LOG(rt[p])])) -> bCar--; bRpl--; MOVE(rt[p]); an[p]=top[LOG(rt[p])]; rq[p]=4; printf("   service answers P%d: no session, or a token beside others, and the client token %d\n",p,an[p]) } \
  :: d_step { up[p] && rq[p]==4 && bNet>0 -> bNet--; rq[p]=3; an[p]=0; printf("   answer to P%d lost\n",p) } \
  :: d_step { up[p] && rq[p]==1 && !ACC(rt[p]) -> if :: STALE==3 -> ANSWER(p,EMPTY) :: else -> ANSWER(p,REF) fi } \
  :: d_step { up[p] && rq[p]==1 && bNet>0 -> bNet--; rq[p]=3; printf("   request of P%d lost\n",p) } \
  :: d_step { up[p] && rq[p]==2 && bNet>0 -> bNet--; rq[p]=3; an[p]=0; printf("   answer to P%d lost\n",p) } \
  :: d_step { up[p] && bCr>0 -> bCr--; printf("P%d CRASHES\n",p); if :: rq[p]==1 -> orph=rt[p] :: else fi; up[p]=0; rq[p]=0; UDONE(p); REL(p) } \
  :: d_step { !up[p] -> up[p]=1; printf("P%d starts again\n",p) }
active proctype Env() {
  d_step { alive[1]=1; top[1]=T(1,0); top[2]=T(2,0); i_=0; do :: i_<NP -> up[i_]=1; i_++ :: else -> break od; i_=0 }
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
  :: d_step { orph!=0 && ACC(orph) && bRpl>0 -> bRpl--; MOVE(orph); orph=0; printf("   late mint replaces the token, answer lost\n") }
  :: d_step { orph!=0 -> orph=0 }
  :: d_step { bRev>0 && alive[1] -> bRev--; alive[1]=0; printf("   login 1 ends at the service\n") }
  :: d_step { bTch>0 && cred!=0 -> bTch--; bump(); printf("   another process writes other members\n") }
  :: d_step { (LAWS&128) && ((so[1] && alive[1] && !WORKS(1) && pend[1]==0) || (so[2] && alive[2] && !WORKS(2) && pend[2]==0)) -> printf("VIOLATION of law 5 (a live login nobody will revoke)\n"); assert(false) }
  od
}
